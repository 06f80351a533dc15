import {
  ConflictError,
  CountersignError,
  type Decision,
  type LogEntry,
  NotFoundError,
  type PaymentRequest,
  ValidationError,
} from '@countersign/sdk';
import type { Context } from './context.js';
import {
  clientReference,
  type Identified,
  idempotencyKey,
  isSameMerchant,
  merchantName,
  paymentIdentity,
} from './payment-key.js';
import { justDecided, mayAskAnew, onRecord, type Standing } from './standing.js';

/** A payment as described by the model. */
export interface Wanted extends Identified {
  merchant_name: string;
  merchant_id?: string | undefined;
  reason?: string | undefined;
  mcc?: string | undefined;
  country?: string | undefined;
}

type Payment = PaymentRequest & {
  currency: string;
  merchant_name: string;
  idempotency_key: string;
};

/** Maximum number of requests per payment; after that many refusals another one is pointless. */
export const maxAttempts = 8;
/** Timeout for reading the record of a decision made just now, in milliseconds. */
const briefly = 2_000;

/**
 * Requests a payment. An approved or pending one is not requested again; a repeated call gets its
 * current state. One that was declined, reversed or has expired is requested again with the next
 * key. Concurrent calls go through the same keys and get the same answers, so at most one of them
 * is a valid approval.
 */
export async function ask(
  context: Context,
  wanted: Wanted,
  signal: AbortSignal,
): Promise<Standing> {
  const identity = paymentIdentity(context.agentId, wanted);
  for (let number = 1; ; number += 1) {
    const key = idempotencyKey(identity, number);
    const standing = await askOnce(context, paymentOf(context, wanted, key), signal);
    const isAnew = standing.isRepeated && mayAskAnew(standing) && number < maxAttempts;
    if (!isAnew) return standing;
  }
}

async function askOnce(context: Context, payment: Payment, signal: AbortSignal): Promise<Standing> {
  const { countersign, declines } = context;
  let decision: Decision;
  try {
    decision = await countersign.authorize(payment, { signal });
  } catch (error) {
    if (!isSaidOtherwise(error)) throw error;
    // The same payment in different words: the earlier decision applies.
    const { idempotency_key } = payment;
    const [found] = await countersign.log.search({ idempotency_key }, { limit: 1, signal }).take(1);
    if (!found) throw notYetRecorded(error);
    // Lists contain amounts without the decimals of their currency.
    const entry = await countersign.log.get(found.id, { signal });
    return { ...declines.standingOf(entry), otherMerchant: otherMerchant(entry, payment) };
  }
  return asDecided(context, { decision, payment, signal });
}

/**
 * Uses the record, which has the amount in the decimals of its currency and the expiry of a
 * step-up.
 */
async function asDecided(
  { countersign, declines }: Context,
  { decision, payment, signal }: { decision: Decision; payment: Payment; signal: AbortSignal },
): Promise<Standing> {
  const { replayed, authorization_id: id } = decision;
  const decided = justDecided(decision, payment);
  // Until its record confirms it, a decline failed safe. Its key may still get an approval, so the
  // payment is not requested again with another key.
  const declined = decided.decision === 'DECLINE' ? { ...decided, isRepeated: false } : null;
  if (declined) declines.add(declined);
  const found = countersign.log.get(id, replayed ? { signal } : { signal, timeoutMs: briefly });
  // A new decision is valid without its record; the state of an earlier one is only in the record.
  const entry = await record(found, replayed ? NotFoundError : CountersignError);
  if (!entry) return declined ?? decided;
  const standing = declines.overruling(entry) ?? { ...onRecord(entry), isRepeated: replayed };
  const isUnchanged = standing.decision === decided.decision;
  return isUnchanged ? { ...standing, detail: decided.detail } : standing;
}

/**
 * An approval only permits paying the merchant it names; for a transfer, the address is part of the
 * key.
 */
function otherMerchant(entry: LogEntry, payment: Payment): string | null {
  if (payment.crypto || isSameMerchant(entry, payment)) return null;
  return merchantName(entry) ?? 'a merchant without a name';
}

/** Null if it fails with this error. */
function record(
  found: Promise<LogEntry>,
  kind: typeof NotFoundError | typeof CountersignError,
): Promise<LogEntry | null> {
  return found.catch((error: unknown) => {
    if (error instanceof kind) return null;
    throw error;
  });
}

/** What a gateway decided during an outage is recorded after it. */
function notYetRecorded({ code, requestId }: ValidationError): ConflictError {
  const message =
    'it was requested before, in other words, and that decision cannot be looked up yet. ' +
    'Request it exactly as then, or tell the user. Do not raise payment_number, which would make ' +
    'it a second payment.';
  return new ConflictError(message, { code, requestId });
}

function isSaidOtherwise(error: unknown): error is ValidationError {
  if (!(error instanceof ValidationError)) return false;
  return error.fields.some(({ type }) => type === 'idempotency_key_reuse');
}

function paymentOf({ agentId }: Context, wanted: Wanted, key: string) {
  const { task_reference, reason, payment_number: _, crypto, ...fields } = wanted;
  return {
    ...fields,
    agent_id: agentId,
    intent_context: { task_reference, reasoning_summary: reason },
    idempotency_key: key,
    client_reference: clientReference(task_reference, key),
    ...(crypto && { rail: 'CRYPTO' as const, crypto }),
  };
}
