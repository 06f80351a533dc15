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
 * The state of one authorization, as far as a profile needs it. Events may arrive in any order and
 * repeatedly; the resulting entry is the same.
 */
export interface ProfileEntry {
  /** Null until the event of the decision itself has arrived. */
  decided: DecidedEntry | null;
  answered: { how: Answered; at: number } | null;
  voided: boolean;
  /** Decimal string: the sum of what was released. */
  reversed: string;
  /** Outcome types with the time of the first report. */
  outcomes: Record<string, number>;
}

/** How a challenge ended: by a human, with its time, or with its agent. */
export type Answered = 'CONFIRMED' | 'DENIED' | 'EXPIRED' | 'REVOKED';

export interface DecidedEntry {
  at: number;
  decision: RecordedAuthorization['decision'];
  amount: string;
  /** The weight of an approval of this size, at most 1: small payments prove little. */
  merit: number;
  offence: number;
  keyFailure: boolean;
  viVerified: boolean;
  /** Hash of the payee; null if none was named. */
  merchant: string | null;
  /** Null if no anomaly score was computed. */
  anomaly: number | null;
  /** Kept for a challenge: becomes one of the past payments if a human approves it. */
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
      offence: offenceOf(data.reasonCodes),
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
  if (!learning) return {};
  const { trace, merchant } = learning;
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
      return {
        ...entry,
        answered: { how: data.deniedBy === undefined ? 'REVOKED' : 'DENIED', at },
      };
    case 'STEP_UP_EXPIRED':
      // An answer given just in time counts, whichever event arrived first.
      return entry.answered ? entry : { ...entry, answered: { how: 'EXPIRED', at } };
    case 'REVERSED':
      return { ...entry, reversed: new Decimal(entry.reversed).add(data.amount).toFixed() };
    case 'VOIDED':
      return { ...entry, voided: true };
  }
}

export function withOutcome(entry: ProfileEntry, data: RecordedOutcome, at: number): ProfileEntry {
  const reported = entry.outcomes[data.outcomeType];
  if (reported !== undefined && reported <= at) return entry;
  return { ...entry, outcomes: { ...entry.outcomes, [data.outcomeType]: at } };
}

/** By the decision itself, or by a human who confirmed it. */
export function isApproved({ decided, answered }: ProfileEntry): boolean {
  return decided?.decision === 'APPROVE' || answered?.how === 'CONFIRMED';
}

/**
 * A human who confirms a payment accepts also that it was asked for in haste: it then counts as a
 * good decision, and one decision is not both. Silence and a denial excuse nothing; the end of the
 * agent says nothing of its payment.
 */
export function offenceWhenAnswered({ decided, answered }: ProfileEntry): number {
  const offence = decided?.offence ?? 0;
  switch (answered?.how) {
    case 'CONFIRMED':
      return 0;
    case 'DENIED':
      return Math.max(deniedOffence, offence);
    case 'EXPIRED':
      return Math.max(expiredOffence, offence);
    default:
      return offence;
  }
}

/**
 * min(1, 0.1 + amount / (0.05 · limit)), so that thousands of tiny payments do not make an agent
 * trusted. A weight for a score and not money, so a double is precise enough.
 */
function meritOf(amount: string, limit: string | null): number {
  const [paid, most] = [Number(amount), Number(limit ?? 0)];
  if (Number.isNaN(paid) || Number.isNaN(most)) throw new TypeError(`${amount} of ${limit}`);
  return most > 0 ? Math.min(1, 0.1 + paid / (0.05 * most)) : 0.1;
}
