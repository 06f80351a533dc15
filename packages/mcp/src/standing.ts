import type { Decision, LogEntry } from '@countersign/sdk';
import { isZero, less } from './amount.js';
import { type Merchant, merchantName } from './payment-key.js';

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
  /** The reason in the words of the service; null if it comes from the record, which has none. */
  detail: string | null;
  /** True if it was decided by an earlier call. */
  isRepeated: boolean;
  stepUp: LogEntry['step_up'];
  /** True if an approval was reversed completely. */
  isReversed: boolean;
  /** The approved merchant, if it differs from the one requested now. */
  otherMerchant: string | null;
}

export function justDecided(
  decision: Decision,
  { amount, currency, ...merchant }: { amount: string; currency: string } & Merchant,
): Standing {
  return {
    authorizationId: decision.authorization_id,
    decision: decision.decision,
    amount,
    givenBack: '0',
    currency,
    merchant: merchantName(merchant),
    reasonCodes: decision.reason_codes,
    detail: decision.reason_detail,
    isRepeated: decision.replayed,
    stepUp: null,
    isReversed: false,
    otherMerchant: null,
  };
}

export function onRecord(entry: LogEntry): Standing {
  const left = less(entry.amount, entry.reversed_amount);
  const isReversed = entry.decision === 'APPROVE' && isZero(left);
  return {
    authorizationId: entry.id,
    decision: entry.decision,
    amount: isReversed ? entry.amount : left,
    givenBack: entry.reversed_amount,
    currency: entry.currency,
    merchant: merchantName(entry),
    reasonCodes: entry.reason_codes,
    detail: null,
    isRepeated: true,
    stepUp: entry.step_up,
    isReversed,
    otherMerchant: null,
  };
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
