import { sandboxTrigger } from '../sandbox-trigger.js';
import type { Rule } from './rule.js';

export const fraudSuspected: Rule = {
  name: 'fraud-suspected',
  codes: ['FRAUD_SUSPECTED'],
  check: ({ facts }) =>
    sandboxTrigger(facts) === 'FRAUD'
      ? [
          {
            code: 'FRAUD_SUSPECTED',
            detail: 'the sandbox amount 666.01 simulates suspected fraud, send another amount',
          },
        ]
      : [],
};
