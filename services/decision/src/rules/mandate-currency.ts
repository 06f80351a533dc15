import type { Rule } from './rule.js';
import { quoted } from './wording.js';

export const mandateCurrency: Rule = {
  name: 'mandate-currency',
  codes: ['CURRENCY_MISMATCH'],
  check: ({ payment, mandate }) => {
    if (!mandate || mandate.currency === payment.currency) return [];
    const given = `the payment is in ${quoted(payment.currency)}`;
    const detail =
      `${given} and the mandate in ${mandate.currency},` +
      ' only what is charged in that currency would pass';
    return [{ code: 'CURRENCY_MISMATCH', detail }];
  },
};
