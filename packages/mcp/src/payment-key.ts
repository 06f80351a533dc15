import { createHash } from 'node:crypto';

export interface Identified {
  task_reference: string;
  amount: string;
  currency: string;
  payment_number: number;
  crypto?: { chain: string; asset: string; counterparty: string; value: string } | undefined;
}

/**
 * What makes a payment this one and no other, whatever words a model puts around it. Asked for
 * again with the same, it is the same payment; the number is how a second one is meant. The
 * merchant does not count: one merchant has many spellings, and its id may be left out. Whose
 * payment it was is on record, where `isSameMerchant` looks.
 */
export function paymentIdentity(agentId: string, payment: Identified): string {
  const parts = [
    agentId,
    loosely(payment.task_reference),
    plain(payment.amount),
    payment.currency,
    payment.payment_number,
    ...(payment.crypto ? transferParts(payment.crypto) : []),
  ];
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
}

/** An address is the same one with the capitals of a checksum and without them. */
function transferParts({ chain, asset, counterparty, value }: NonNullable<Identified['crypto']>) {
  return [loosely(chain), loosely(asset), loosely(counterparty), plain(value)];
}

/** One key for each time that it is asked for anew, after a refusal: of these only one can hold. */
export function idempotencyKey(identity: string, ask: number): string {
  return `mcp-${identity}-${ask}`;
}

const taskChars = 60;

/** Finds the record of a key again; begins with the task, for whoever reads the log. */
export function clientReference(task: string, key: string): string {
  const readable = task.trim().replaceAll(/[^\w.:-]+/g, '-');
  return `${readable.slice(0, taskChars)}.${key}`;
}

export interface Merchant {
  merchant_name?: string | null | undefined;
  merchant_id?: string | null | undefined;
}

/** By the id, and only where one of them has none by the name, which has more than one spelling. */
export function isSameMerchant(one: Merchant, other: Merchant): boolean {
  if (one.merchant_id && other.merchant_id) return one.merchant_id === other.merchant_id;
  return loosely(one.merchant_name ?? '') === loosely(other.merchant_name ?? '');
}

export function merchantName({ merchant_name: name, merchant_id: id }: Merchant): string | null {
  return name ?? id ?? null;
}

/** Spaces and capitals are how a model tells the same thing twice. */
function loosely(text: string): string {
  return text.normalize('NFKC').trim().replaceAll(/\s+/g, ' ').toLowerCase();
}

/** 19.90 is 19.9. */
function plain(amount: string): string {
  return amount.includes('.') ? amount.replace(/\.?0+$/, '') : amount;
}
