import { weakestComponent } from '../scores/kya.js';
import type { Rule } from './rule.js';

export const kyaScoreRule: Rule = {
  name: 'kya-score',
  codes: ['KYA_SCORE_BELOW_MINIMUM', 'KYA_SCORE_STEP_UP'],
  check: ({ kya, thresholds }) => {
    const { authorizeMinKyaScore: minimum, authorizeStepUpThreshold: enough } = thresholds;
    if (kya.score >= enough) return [];
    const score = `the agent's trust score of ${kya.score}`;
    const why = `its weakest part is ${weakestComponent(kya)}`;
    if (kya.score < minimum) {
      const detail = `${score} is below the minimum of ${minimum}, ${why}`;
      return [{ code: 'KYA_SCORE_BELOW_MINIMUM', detail }];
    }
    const detail = `${score} is below ${enough}, a human must confirm, ${why}`;
    return [{ code: 'KYA_SCORE_STEP_UP', detail }];
  },
};
