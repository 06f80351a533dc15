import { noisyOr, roundScore } from './rounding.js';

export const riskModel = 'risk-1';

export interface RiskInput {
  anomalyScore: number;
  kyaScore: number;
  /** Whether the agent had more recent decisions than the thresholds allow. */
  velocityIndicator: boolean;
  /** Whether a chain of verifiable intent was presented that did not verify. */
  intentChainFailed: boolean;
  /** Null for an unknown agent. */
  riskTier: string | null;
}

export interface RiskResult {
  model: typeof riskModel;
  score: number;
  /** The contribution of each source before they are combined. */
  components: Record<'anomaly' | 'kya' | 'velocity' | 'intentChain' | 'riskTier', number>;
  condition: 'CLEAN' | 'ELEVATED' | 'HIGH' | 'SEVERE';
}

const tierAddends: Record<string, number> = { LOW: 0, MEDIUM: 0.1, HIGH: 0.25, PROHIBITED: 0.25 };

/** How likely the transaction is to be fraudulent or unwanted, 0 to 1. Pure. */
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
