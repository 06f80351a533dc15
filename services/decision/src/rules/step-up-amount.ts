import { sandboxTrigger } from '../sandbox-trigger.js';
import type { Rule } from './rule.js';
import { money } from './wording.js';

export const stepUpAmount: Rule = {
  name: 'step-up-amount',
  codes: ['AMOUNT_STEP_UP'],
  check: ({ facts, payment, amount, thresholds }) => {
    const { stepUpAmountThreshold } = thresholds;
    const clauses: string[] = [];
    if (stepUpAmountThreshold !== null && amount.gte(stepUpAmountThreshold)) {
      const threshold = money(stepUpAmountThreshold, payment.currency);
      clauses.push(`amounts from ${threshold} need a human, have it confirmed`);
    }
    if (sandboxTrigger(facts) === 'STEP_UP') {
      clauses.push('the sandbox amount 666.02 simulates a step-up, a human must confirm');
    }
    if (clauses.length === 0) return [];
    return [{ code: 'AMOUNT_STEP_UP', detail: clauses.join(', ') }];
  },
};
