import type { Facts } from '../facts-shape.js';
import { sandboxTrigger } from '../sandbox-trigger.js';
import { noisyOr, roundScore } from './rounding.js';

export const anomalyModel = 'anomaly-1';

/** One way in which a payment can be unlike its agent. */
export interface AnomalyFeature {
  name: string;
  /** The most it can contribute; below 0.50, so that no feature triggers alone. */
  weight: number;
  /** How strongly it speaks, 0 to 1. */
  strength: number;
  needsBaseline: boolean;
}

export interface AnomalyResult {
  model: typeof anomalyModel;
  score: number;
  triggered: boolean;
  /** Too little history to compare with, and nothing else spoke loudly enough. */
  skipped: boolean;
  /** How many approved payments of the agent it was compared with. */
  baselineSize: number;
  features: Array<{ name: string; share: number }>;
}

/**
 * How unlike the agent this payment is: 1 − Π(1 − weight·strength) over the features. Without
 * enough history the features that compare with it stay silent and the score says so (`skipped`).
 */
export function anomalyScore(facts: Facts, features: readonly AnomalyFeature[]): AnomalyResult {
  if (sandboxTrigger(facts) === 'INTENT_ANOMALY') return simulated(facts);
  const { intentAnomalyMinHistory, intentAnomalyStepUp } = facts.thresholds;
  const baselineSize = 0;
  const enough = baselineSize >= intentAnomalyMinHistory;
  const heard = features.filter((feature) => enough || !feature.needsBaseline);
  const parts = heard.map(({ weight, strength }) => weight * strength);
  const score = roundScore(noisyOr(parts));
  const triggered = score >= intentAnomalyStepUp;
  return {
    model: anomalyModel,
    score,
    triggered,
    skipped: !triggered && (!enough || heard.length === 0),
    baselineSize,
    features: shares(heard),
  };
}

/** −ln(1 − w·s) of a feature over the sum of all: what it had in the score. */
function shares(heard: readonly AnomalyFeature[]): AnomalyResult['features'] {
  const logs = heard.map(({ name, weight, strength }) => ({
    name,
    share: -Math.log(1 - weight * strength),
  }));
  const total = logs.reduce((sum, { share }) => sum + share, 0);
  if (total === 0) return [];
  return logs.map(({ name, share }) => ({ name, share: roundScore(share / total) }));
}

function simulated({ thresholds }: Facts): AnomalyResult {
  const score = 0.75;
  const triggered = score >= thresholds.intentAnomalyStepUp;
  return {
    model: anomalyModel,
    score,
    triggered,
    skipped: false,
    baselineSize: 0,
    features: [{ name: 'SANDBOX_TRIGGER', share: 1 }],
  };
}
