import { sandboxTrigger } from '../sandbox-trigger.js';
import type { Rule } from './rule.js';
import { money } from './wording.js';

export const stepUpAmount: Rule = {
  name: 'step-up-amount',
  codes: ['AMOUNT_STEP_UP'],
  check: ({ facts, payment, amount, thresholds }) => {
    const { stepUpAmountThreshold } = thresholds;
    const code = 'AMOUNT_STEP_UP';
    const simulated =
      sandboxTrigger(facts) === 'STEP_UP'
        ? ['the sandbox amount 666.02 simulates a step-up, a human must confirm']
        : [];
    if (stepUpAmountThreshold !== null && amount.gte(stepUpAmountThreshold)) {
      const amounts = `amounts from ${money(stepUpAmountThreshold, payment.currency)} need a human`;
      const detail = [`${amounts}, have it confirmed`, ...simulated].join(', ');
      return [{ code, detail, declinedDetail: [amounts, ...simulated].join(', ') }];
    }
    return simulated.map((detail) => ({ code, detail }));
  },
};
