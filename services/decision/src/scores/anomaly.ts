import { features } from '../anomaly/features/index.js';
import type { Facts } from '../facts-shape.js';
import { sandboxTrigger } from '../sandbox-trigger.js';
import { roundScore } from './rounding.js';

export const anomalyModel = 'anomaly-1';

export interface AnomalyResult {
  model: typeof anomalyModel;
  score: number;
  triggered: boolean;
  /** Too little history to compare with, and nothing else spoke loudly enough. */
  skipped: boolean;
  /** How many approved payments of the agent it was compared with. */
  baselineSize: number;
  /** Those that spoke. */
  features: HeardFeature[];
}

export interface HeardFeature {
  name: string;
  /** The most it could have contributed. */
  weight: number;
  strength: number;
  /** −ln(1 − weight·strength) over the sum of all: what it had in the score. */
  share: number;
}

/** What the always-on features must reach for a score without a history to be one. */
const loudEnough = 0.5;

/** What is less is 0 on record, and may be too little to be told from nothing in the product. */
const faintest = 0.00005;

/**
 * How unlike the agent this payment is: 1 − Π(1 − weight·strength) over the features. Without
 * enough history the features that compare with it stay silent and the score says so (`skipped`).
 * Where a human has seen the final values, those weigh half.
 */
export function anomalyScore(facts: Facts, seenByHuman = false): AnomalyResult {
  if (sandboxTrigger(facts) === 'INTENT_ANOMALY') return simulated(facts);
  const { likeness, payment, thresholds } = facts;
  // Of a release that compared nothing, or an agent nobody knows.
  if (!likeness) return notCompared;
  const comparison = { payment, likeness };
  const heard: HeardFeature[] = [];
  let rest = 1;
  for (const { name, weight: most, isSeenByHuman, strength: strengthOf } of features) {
    const strength = strengthOf(comparison);
    if (strength < faintest) continue;
    const weight = seenByHuman && isSeenByHuman ? most / 2 : most;
    rest *= 1 - weight * strength;
    heard.push({ name, weight, strength, share: 0 });
  }
  const score = heard.length === 0 ? 0 : roundScore(1 - rest);
  const triggered = score >= thresholds.intentAnomalyStepUp;
  const tooShort = likeness.n < thresholds.intentAnomalyMinHistory;
  return {
    model: anomalyModel,
    score,
    triggered,
    skipped: tooShort && !triggered && score < loudEnough,
    baselineSize: likeness.n,
    features: shared(heard, -Math.log(rest)),
  };
}

function shared(heard: HeardFeature[], total: number): HeardFeature[] {
  for (const feature of heard) {
    const { weight, strength } = feature;
    feature.share = roundScore(-Math.log(1 - weight * strength) / total);
    feature.strength = roundScore(strength);
  }
  return heard;
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

/** From this share on a feature is named among the reasons of the risk. */
const namedShare = 0.2;

/** The features that made the score, as reasons of the risk; not reasons of the decision. */
export function anomalyCodes({ score, features: heard }: AnomalyResult): string[] {
  if (score === 0) return none;
  return heard.filter(({ share }) => share >= namedShare).map(({ name }) => `ANOMALY_${name}`);
}

const none: string[] = [];
