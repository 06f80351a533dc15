import type {
  AmendedAuthorization,
  BusEvent,
  RecordedAuthorization,
  RecordedOutcome,
} from '@countersign/kernel/event';
import { Decimal } from '@countersign/kernel/money';
import { type PackedTrace, packTrace } from '../anomaly/packed-trace.js';
import { deniedOffence, expiredOffence, isKeyFailure, offenceOf } from './offence.js';

/**
 * What is known of one authorization, as far as a profile is concerned. Events may come in any
 * order and more than once over time; an entry is the same whichever came first.
 */
export interface ProfileEntry {
  /** Null until the decision itself has been heard of. */
  decided: DecidedEntry | null;
  answered: { how: Answered; at: number } | null;
  voided: boolean;
  /** Decimal string: the sum of what was released. */
  reversed: string;
  /** Outcome types with the time of the first report. */
  outcomes: Record<string, number>;
}

/** What became of a challenge. */
export type Answered = 'CONFIRMED' | 'DENIED' | 'EXPIRED';

export interface DecidedEntry {
  at: number;
  decision: RecordedAuthorization['decision'];
  amount: string;
  /** What an approval of this size is worth, at most 1: small payments prove little. */
  merit: number;
  offence: number;
  keyFailure: boolean;
  viVerified: boolean;
  /** Hash of who is paid; absent in entries of earlier releases. */
  merchant?: string | null;
  /** Null where no anomaly score was computed. */
  anomaly: number | null;
  /** What others are compared with; kept where a human may still approve it. */
  trace?: PackedTrace;
}

export const emptyEntry: ProfileEntry = {
  decided: null,
  answered: null,
  voided: false,
  reversed: '0',
  outcomes: {},
};

export function withDecision(
  entry: ProfileEntry,
  { data, occurredAt }: BusEvent<'authorization.recorded'>,
): ProfileEntry {
  const { learning } = data;
  return {
    ...entry,
    decided: {
      at: Date.parse(occurredAt),
      decision: data.decision,
      amount: data.amount,
      merit: meritOf(data.amount, learning?.maxAmountPerTransaction ?? null),
      offence: data.decision === 'DECLINE' ? offenceOf(data.reasonCodes) : 0,
      keyFailure: isKeyFailure(data.reasonCodes),
      viVerified: learning?.viVerified ?? false,
      merchant: learning?.merchant ?? null,
      anomaly: learning && !learning.anomalySkipped ? data.intentAnomalyScore : null,
      ...traceOf(data),
    },
  };
}

function traceOf({
  amount,
  currency,
  learning,
}: RecordedAuthorization): Pick<DecidedEntry, 'trace'> {
  if (!learning?.trace) return {};
  const { trace, merchant = null } = learning;
  return { trace: packTrace({ amount, currency, merchant, trace }) };
}

export function withAmendment(
  entry: ProfileEntry,
  data: AmendedAuthorization,
  at: number,
): ProfileEntry {
  switch (data.amendment) {
    case 'STEP_UP_CONFIRMED':
      return { ...entry, answered: { how: 'CONFIRMED', at } };
    case 'STEP_UP_DENIED':
      return { ...entry, answered: { how: 'DENIED', at } };
    case 'STEP_UP_EXPIRED':
      // An answer at the last moment counts, whichever was heard of first.
      return entry.answered ? entry : { ...entry, answered: { how: 'EXPIRED', at } };
    case 'REVERSED':
      return { ...entry, reversed: new Decimal(entry.reversed).add(data.amount).toFixed() };
    case 'VOIDED':
      return { ...entry, voided: true };
  }
}

export function withOutcome(entry: ProfileEntry, data: RecordedOutcome, at: number): ProfileEntry {
  if (data.outcomeType in entry.outcomes) return entry;
  return { ...entry, outcomes: { ...entry.outcomes, [data.outcomeType]: at } };
}

/** By the judge or by a human after it. */
export function isApproved({ decided, answered }: ProfileEntry): boolean {
  return decided?.decision === 'APPROVE' || answered?.how === 'CONFIRMED';
}

export function offenceWhenAnswered(entry: ProfileEntry): number {
  if (entry.answered?.how === 'DENIED') return deniedOffence;
  if (entry.answered?.how === 'EXPIRED') return expiredOffence;
  return entry.decided?.offence ?? 0;
}

/**
 * min(1, 0.1 + amount / (0.05 · limit)): thousands of cents do not make an agent trusted. A share
 * for a score and no sum of money, so nothing hangs on its last binary digit.
 */
function meritOf(amount: string, limit: string | null): number {
  const [paid, most] = [Number(amount), Number(limit ?? 0)];
  if (Number.isNaN(paid) || Number.isNaN(most)) throw new TypeError(`${amount} of ${limit}`);
  return most > 0 ? Math.min(1, 0.1 + paid / (0.05 * most)) : 0.1;
}
