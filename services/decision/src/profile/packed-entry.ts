import { traceOfText, traceText } from '../anomaly/trace-rows.js';
import type { Answered, DecidedEntry, ProfileEntry } from './entry.js';

/**
 * An entry as it is stored. Most authorizations have no later events, so those fields come last
 * and are left out when empty. Fields may be appended, never moved.
 */
type PackedEntry = [
  decided: PackedDecision | null,
  answered?: [how: Answered, at: number] | null,
  voided?: boolean,
  reversed?: string,
  outcomes?: Record<string, number>,
];

type PackedDecision = [
  at: number,
  decision: DecidedEntry['decision'],
  amount: string,
  merit: number,
  offence: number,
  keyFailure: 0 | 1,
  viVerified: 0 | 1,
  merchant: string | null,
  anomaly: number | null,
  trace?: string,
];

export function packEntry(entry: ProfileEntry): string {
  const { answered, voided, reversed, outcomes } = entry;
  const packed: PackedEntry = [entry.decided && packDecision(entry.decided)];
  const hasLaterEvents = answered || voided || reversed !== '0' || Object.keys(outcomes).length > 0;
  if (hasLaterEvents) {
    packed.push(answered && [answered.how, answered.at], voided, reversed, outcomes);
  }
  return JSON.stringify(packed);
}

/** Reads what `packEntry` wrote. */
export function unpackEntry(content: string): ProfileEntry {
  const stored = JSON.parse(content) as PackedEntry;
  const [decided, answered = null, voided = false, reversed = '0', outcomes = {}] = stored;
  return {
    decided: decided && unpackDecision(decided),
    answered: answered && { how: answered[0], at: answered[1] },
    voided,
    reversed,
    outcomes,
  };
}

function packDecision(decided: DecidedEntry): PackedDecision {
  const packed: PackedDecision = [
    decided.at,
    decided.decision,
    decided.amount,
    decided.merit,
    decided.offence,
    decided.keyFailure ? 1 : 0,
    decided.viVerified ? 1 : 0,
    decided.merchant,
    decided.anomaly,
  ];
  // Only a challenge can become an approval after its entry was written.
  if (decided.decision === 'STEP_UP' && decided.trace) packed.push(traceText(decided.trace));
  return packed;
}

function unpackDecision(packed: PackedDecision): DecidedEntry {
  const [at, decision, amount, merit, offence, keyFailure, viVerified, merchant, anomaly, trace] =
    packed;
  return {
    at,
    decision,
    amount,
    merit,
    offence,
    keyFailure: keyFailure === 1,
    viVerified: viVerified === 1,
    merchant,
    anomaly,
    ...(trace !== undefined && { trace: traceOfText(trace) }),
  };
}
