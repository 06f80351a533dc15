import type { Rule } from './rule.js';

export const riskScoreRule: Rule = {
  name: 'risk-score',
  codes: ['RISK_SCORE_HARD_DECLINE', 'RISK_SCORE_STEP_UP'],
  check: ({ risk, thresholds }) => {
    const { riskScoreHardDecline: tooHigh, riskScoreStepUp: high } = thresholds;
    if (risk.score >= tooHigh) {
      const detail = `the risk score of ${risk.score} reaches ${tooHigh}, it must stay below`;
      return [{ code: 'RISK_SCORE_HARD_DECLINE', detail }];
    }
    if (risk.score < high) return [];
    const detail = `the risk score of ${risk.score} reaches ${high}, a human must confirm`;
    return [{ code: 'RISK_SCORE_STEP_UP', detail }];
  },
};
