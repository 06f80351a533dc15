import { createHash } from 'node:crypto';

/** `value` is in units of the asset, which need not be worth one of the currency. */
export interface Transfer {
  chain: string;
  asset: string;
  counterparty: string;
  value: string;
}

export interface Identified {
  task_reference: string;
  amount: string;
  currency: string;
  payment_number: number;
  crypto?: Transfer | undefined;
}

/**
 * Identifies a payment independently of the words a model uses, so that a repeated request is the
 * same payment; the payment number distinguishes intended repetitions. The merchant is not
 * included, since one merchant has many spellings and its id may be omitted. `isSameMerchant`
 * compares it with the record instead.
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

/** An address is the same with and without the capitals of its checksum. */
function transferParts({ chain, asset, counterparty, value }: Transfer) {
  return [loosely(chain), loosely(asset), loosely(counterparty), plain(value)];
}

/** One key per attempt after a refusal; at most one of them gets a valid approval. */
export function idempotencyKey(identity: string, ask: number): string {
  return `mcp-${identity}-${ask}`;
}

const taskChars = 60;

/** For readers of the log: the task, and which of its payments. */
export function clientReference(task: string, key: string): string {
  const readable = task.trim().replaceAll(/[^\w.:-]+/g, '-');
  return `${readable.slice(0, taskChars)}.${key}`;
}

export interface Merchant {
  merchant_name?: string | null | undefined;
  merchant_id?: string | null | undefined;
}

/**
 * Compares ids, which a record has in NFC, or names if one of them has no id, because a name has
 * several spellings.
 */
export function isSameMerchant(one: Merchant, other: Merchant): boolean {
  const [id, otherId] = [one, other].map((merchant) => merchant.merchant_id?.normalize('NFC'));
  if (id && otherId) return id === otherId;
  return loosely(one.merchant_name ?? '') === loosely(other.merchant_name ?? '');
}

export function merchantName({ merchant_name: name, merchant_id: id }: Merchant): string | null {
  return name ?? id ?? null;
}

/** Ignores white space and case, which vary when a model repeats itself. */
function loosely(text: string): string {
  return text.normalize('NFKC').trim().replaceAll(/\s+/g, ' ').toLowerCase();
}

/** `19.90` becomes `19.9`. */
function plain(amount: string): string {
  return amount.includes('.') ? amount.replace(/\.?0+$/, '') : amount;
}
