import type { Rule } from './rule.js';

export const principalProhibited: Rule = {
  name: 'principal-prohibited',
  codes: ['PRINCIPAL_PROHIBITED'],
  check: ({ principal }) =>
    principal.riskTier === 'PROHIBITED'
      ? [
          {
            code: 'PRINCIPAL_PROHIBITED',
            detail:
              'the principal may not spend through this service,' +
              ' none of its payments will be approved',
          },
        ]
      : [],
};
