import type { Decision, LogEntry } from '@countersign/sdk';
import { isZero, less, spelledLike } from './amount.js';
import { type Merchant, merchantName, type Transfer } from './payment-key.js';

/** The current state of a payment, whether it was decided now or earlier. */
export interface Standing {
  authorizationId: string;
  decision: Decision['decision'];
  /** What is still approved: less than requested after a partial reversal. */
  amount: string;
  /** The amount that was reversed; zero if none. */
  givenBack: string;
  currency: string;
  reasonCodes: string[];
  /** As in the record; null if it names none. */
  merchant: string | null;
  /** What is to be sent on chain; null for any other payment. */
  transfer: Transfer | null;
  /** The reason in the words of the service; null if it comes from the record, which has none. */
  detail: string | null;
  /** True if it was decided by an earlier call. */
  isRepeated: boolean;
  /** Null if there was none, or if the system ended it. */
  stepUp: LogEntry['step_up'];
  /** True if an approval was reversed completely. */
  isReversed: boolean;
  /** The approved merchant, if it differs from the one requested now. */
  otherMerchant: string | null;
}

/** What a payment was requested with, as far as a standing tells it. */
export interface Requested extends Merchant {
  amount: string;
  currency: string;
  crypto?: Transfer | undefined;
}

export function justDecided(
  decision: Decision,
  { amount, currency, crypto, ...merchant }: Requested,
): Standing {
  return {
    authorizationId: decision.authorization_id,
    decision: decision.decision,
    amount,
    givenBack: '0',
    currency,
    merchant: merchantName(merchant),
    transfer: crypto ?? null,
    reasonCodes: decision.reason_codes,
    detail: decision.reason_detail,
    isRepeated: decision.replayed,
    stepUp: null,
    isReversed: false,
    otherMerchant: null,
  };
}

export function onRecord(entry: LogEntry): Standing {
  return {
    authorizationId: entry.id,
    decision: entry.decision,
    ...amountsOf(entry),
    currency: entry.currency,
    merchant: merchantName(entry),
    transfer: entry.crypto,
    reasonCodes: entry.reason_codes,
    detail: null,
    isRepeated: true,
    stepUp: byHumans(entry.step_up),
    otherMerchant: null,
  };
}

/**
 * Only an approval is given back, completely or in part. A declined payment may have been an
 * approval that was voided, which released its amount, but nothing of it is an approval now.
 */
function amountsOf({
  decision,
  amount,
  reversed_amount: reversed,
}: LogEntry): Pick<Standing, 'amount' | 'givenBack' | 'isReversed'> {
  if (decision !== 'APPROVE') {
    return { amount, givenBack: spelledLike('0', amount), isReversed: false };
  }
  const left = less(amount, reversed);
  const isReversed = isZero(left);
  return { amount: isReversed ? amount : left, givenBack: reversed, isReversed };
}

/**
 * Null if the system ended the challenge, because the decision was voided or the agent revoked. The
 * record has it as DENIED, but no human has denied it, and the reason codes say why it ended.
 */
function byHumans(stepUp: LogEntry['step_up']): LogEntry['step_up'] {
  return stepUp?.resolved_by === 'system' ? null : stepUp;
}

export function isDenied({ stepUp }: Standing): boolean {
  return stepUp?.status === 'DENIED';
}

export function isExpired({ stepUp }: Standing): boolean {
  return stepUp?.status === 'EXPIRED';
}

/** True if nothing is or can be spent under it, and no human has denied it. */
export function mayAskAnew(standing: Standing): boolean {
  const { decision, isReversed } = standing;
  return isReversed || isExpired(standing) || (decision === 'DECLINE' && !isDenied(standing));
}
