import type { Explanation } from './api/shapes.js';

export type Kept = Record<string, unknown>;

/** The copy of the mandate that was recorded with the decision. */
export interface RecordedMandate {
  id: string;
  currency: string;
  max_amount_per_transaction: string;
  max_daily_amount: string | null;
  max_monthly_amount: string | null;
  max_daily_count: string | null;
  max_monthly_count: string | null;
  mandate_hash: string;
  [term: string]: unknown;
}

export type RecordedFacts = ReturnType<typeof recordedFacts>;

/** The parts of the record that rules and claims are about; each is empty if absent. */
export function recordedFacts({ inputs, scores }: Explanation) {
  const payment = kept(inputs.payment);
  return {
    decidedAt: inputs.decided_at,
    payment,
    crypto: kept(payment.crypto),
    agent: kept(inputs.agent),
    principal: kept(inputs.principal),
    program: kept(inputs.program),
    mandates: (Array.isArray(inputs.mandates) ? inputs.mandates : []) as RecordedMandate[],
    usage: kept(kept(inputs.limits).usage),
    openChallengesFull: inputs.open_challenges_full === true,
    thresholds: kept(inputs.thresholds),
    scores: {
      kya: kept(scores?.kya),
      anomaly: kept(scores?.anomaly),
      risk: kept(scores?.risk),
      zone: scores?.zone,
    },
  };
}

/** Null if no mandate covered the payment, or nothing was evaluated. */
export function recordedMandate(explanation: Explanation, id: unknown): RecordedMandate | null {
  return recordedFacts(explanation).mandates.find((mandate) => mandate.id === id) ?? null;
}

/** The threshold for the zone of the decision; undefined in zones where the full limit applies. */
export function multiplierOf({ scores, thresholds }: RecordedFacts): unknown {
  return thresholds[`cognitive_multiplier_${String(scores.zone).toLowerCase()}`];
}

export function kept(value: unknown): Kept {
  return typeof value === 'object' && value !== null ? (value as Kept) : {};
}
