import type { Decision, LogEntry } from '@countersign/sdk';
import { isZero, less } from './amount.js';
import { type Merchant, merchantName } from './payment-key.js';

/** How a payment stands now, whether it was decided just now or before. */
export interface Standing {
  authorizationId: string;
  decision: Decision['decision'];
  /** What stands of it: less than was asked for where a part was given back. */
  amount: string;
  /** What was given back of it; zero where nothing was. */
  givenBack: string;
  currency: string;
  reasonCodes: string[];
  /** As the record names it; null where it does not. */
  merchant: string | null;
  /** The service's own sentence; null where only the record is at hand, which has none. */
  detail: string | null;
  /** It was decided before, by another call. */
  isRepeated: boolean;
  stepUp: LogEntry['step_up'];
  /** All of an approval was given back. */
  isReversed: boolean;
  /** Whom it pays, where that is somebody else than who is to be paid now. */
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

/** Nothing is spent by it, nothing can be any more, and no human has said no to it. */
export function mayAskAnew(standing: Standing): boolean {
  const { decision, isReversed } = standing;
  return isReversed || isExpired(standing) || (decision === 'DECLINE' && !isDenied(standing));
}
