import type { Rule } from './rule.js';
import { oneOf, quoted } from './wording.js';

export const capability: Rule = {
  name: 'capability',
  codes: ['CAPABILITY_NOT_GRANTED'],
  check: ({ payment, agent }) => {
    if (payment.capability === null || agent.capabilities.includes(payment.capability)) return [];
    const held = agent.capabilities.length > 0 ? oneOf(agent.capabilities) : 'none';
    return [
      {
        code: 'CAPABILITY_NOT_GRANTED',
        detail: `the agent lacks the capability ${quoted(payment.capability)}, it holds ${held}`,
      },
    ];
  },
};
