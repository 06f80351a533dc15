import { createHash } from 'node:crypto';

export interface Identified {
  task_reference: string;
  merchant_name: string;
  merchant_id?: string | undefined;
  amount: string;
  currency: string;
  payment_number: number;
  crypto?: { chain: string; asset: string; counterparty: string; value: string } | undefined;
}

/**
 * What makes a payment this one and no other, whatever words a model puts around it. Asked for
 * again with the same, it is the same payment; the number is how a second one is meant.
 */
export function paymentIdentity(agentId: string, payment: Identified): string {
  const { chain, asset, counterparty, value } = payment.crypto ?? {};
  const parts = [
    agentId,
    loosely(payment.task_reference),
    payment.merchant_id ?? loosely(payment.merchant_name),
    plain(payment.amount),
    payment.currency,
    payment.payment_number,
    ...(payment.crypto ? [chain, asset, counterparty, plain(value ?? '')] : []),
  ];
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
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

/** Spaces and capitals are how a model tells the same thing twice. */
function loosely(text: string): string {
  return text.normalize('NFKC').trim().replaceAll(/\s+/g, ' ').toLowerCase();
}

/** 19.90 is 19.9. */
function plain(amount: string): string {
  return amount.includes('.') ? amount.replace(/\.?0+$/, '') : amount;
}
