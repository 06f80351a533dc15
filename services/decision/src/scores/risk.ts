import { noisyOr, roundScore } from './rounding.js';

export const riskModel = 'risk-1';

export interface RiskInput {
  anomalyScore: number;
  kyaScore: number;
  /** A short window of decisions was fuller than the thresholds allow. */
  velocityIndicator: boolean;
  /** A verifiable intent chain was presented and did not verify. */
  intentChainFailed: boolean;
  /** Null for an agent nobody knows. */
  riskTier: string | null;
}

export interface RiskResult {
  model: typeof riskModel;
  score: number;
  /** What each source contributed before they were combined. */
  components: Record<'anomaly' | 'kya' | 'velocity' | 'intentChain' | 'riskTier', number>;
  condition: 'CLEAN' | 'ELEVATED' | 'HIGH' | 'SEVERE';
}

const tierAddends: Record<string, number> = { LOW: 0, MEDIUM: 0.1, HIGH: 0.25, PROHIBITED: 0.25 };

/** One number with one meaning: how likely this transaction is to be a bad one. Pure. */
export function riskScore(input: RiskInput): RiskResult {
  const components = {
    anomaly: 0.8 * input.anomalyScore,
    kya: 0.5 * (1 - input.kyaScore),
    velocity: input.velocityIndicator ? 0.4 : 0,
    intentChain: input.intentChainFailed ? 0.5 : 0,
    riskTier: tierAddends[input.riskTier ?? 'LOW'] ?? 0,
  };
  const score = roundScore(noisyOr(Object.values(components)));
  return { model: riskModel, score, components, condition: conditionOf(score) };
}

function conditionOf(score: number): RiskResult['condition'] {
  if (score >= 0.85) return 'SEVERE';
  if (score >= 0.6) return 'HIGH';
  if (score >= 0.3) return 'ELEVATED';
  return 'CLEAN';
}
