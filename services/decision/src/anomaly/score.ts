import type { Facts } from '../facts/shape.js';
import { sandboxTrigger } from '../sandbox-trigger.js';
import { roundScore } from '../scores/rounding.js';
import { features } from './features/index.js';

export const anomalyModel = 'anomaly-1';

export interface AnomalyResult {
  model: typeof anomalyModel;
  score: number;
  triggered: boolean;
  /** Set if there was too little history and the other features contributed little. */
  skipped: boolean;
  /** How many approved payments of the agent it was compared with. */
  baselineSize: number;
  /** Features with a strength above zero. */
  features: ActiveFeature[];
}

export interface ActiveFeature {
  name: string;
  /** The maximum contribution. */
  weight: number;
  strength: number;
  /** Its share of the score: −ln(1 − weight·strength) over the sum of all. */
  share: number;
}

/** Without enough history, a score below this counts as skipped. */
const minScoreWithoutHistory = 0.5;

/** Smaller strengths would round to 0 in the record. */
const minStrength = 0.00005;

/**
 * How much the payment differs from the agent's behaviour: 1 − Π(1 − weight·strength) over the
 * features. Without enough history the features that need one have no effect, and `skipped` tells.
 * Features whose values a human has seen have half the weight.
 */
export function anomalyScore(facts: Facts, seenByHuman = false): AnomalyResult {
  if (sandboxTrigger(facts) === 'INTENT_ANOMALY') return simulated(facts);
  const { likeness, payment, thresholds } = facts;
  // An unknown agent.
  if (!likeness) return notCompared;
  const comparison = { payment, likeness };
  const active: ActiveFeature[] = [];
  let rest = 1;
  for (const { name, weight: most, isSeenByHuman, strength: strengthOf } of features) {
    const strength = strengthOf(comparison);
    if (strength < minStrength) continue;
    const weight = seenByHuman && isSeenByHuman ? most / 2 : most;
    rest *= 1 - weight * strength;
    active.push({ name, weight, strength, share: 0 });
  }
  const score = active.length === 0 ? 0 : roundScore(1 - rest);
  const triggered = score >= thresholds.intentAnomalyStepUp;
  const tooShort = likeness.n < thresholds.intentAnomalyMinHistory;
  return {
    model: anomalyModel,
    score,
    triggered,
    skipped: tooShort && !triggered && score < minScoreWithoutHistory,
    baselineSize: likeness.n,
    features: withShares(active, -Math.log(rest)),
  };
}

function withShares(active: ActiveFeature[], total: number): ActiveFeature[] {
  for (const feature of active) {
    const { weight, strength } = feature;
    feature.share = roundScore(-Math.log(1 - weight * strength) / total);
    feature.strength = roundScore(strength);
  }
  return active;
}

const notCompared: AnomalyResult = {
  model: anomalyModel,
  score: 0,
  triggered: false,
  skipped: true,
  baselineSize: 0,
  features: [],
};

function simulated({ thresholds }: Facts): AnomalyResult {
  const score = 0.75;
  const triggered = score >= thresholds.intentAnomalyStepUp;
  return {
    model: anomalyModel,
    score,
    triggered,
    skipped: false,
    baselineSize: 0,
    features: [{ name: 'SANDBOX_TRIGGER', weight: score, strength: 1, share: 1 }],
  };
}

/** Features with at least this share appear among the reasons of the risk. */
const namedShare = 0.2;

/** The main features as reasons of the risk, which are not reasons of the decision. */
export function anomalyCodes({ score, features: active }: AnomalyResult): string[] {
  if (score === 0) return none;
  return active.filter(({ share }) => share >= namedShare).map(({ name }) => `ANOMALY_${name}`);
}

const none: string[] = [];
