import type { Decision, LogEntry } from '@countersign/sdk';

/** How a payment stands now, whether it was decided just now or before. */
export interface Standing {
  authorizationId: string;
  decision: Decision['decision'];
  amount: string;
  currency: string;
  reasonCodes: string[];
  /** The service's own sentence; null where only the record is at hand, which has none. */
  detail: string | null;
  /** It was decided before, by another call. */
  isRepeated: boolean;
  stepUp: LogEntry['step_up'];
  /** All of an approval was given back. */
  isReversed: boolean;
}

export function justDecided(
  decision: Decision,
  { amount, currency }: { amount: string; currency: string },
): Standing {
  return {
    authorizationId: decision.authorization_id,
    decision: decision.decision,
    amount,
    currency,
    reasonCodes: decision.reason_codes,
    detail: decision.reason_detail,
    isRepeated: decision.replayed,
    stepUp: null,
    isReversed: false,
  };
}

export function onRecord(entry: LogEntry): Standing {
  return {
    authorizationId: entry.id,
    decision: entry.decision,
    amount: entry.amount,
    currency: entry.currency,
    reasonCodes: entry.reason_codes,
    detail: null,
    isRepeated: true,
    stepUp: entry.step_up,
    isReversed: entry.decision === 'APPROVE' && entry.reversed_amount === entry.amount,
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
