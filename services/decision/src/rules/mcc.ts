import { listRule } from './lists.js';

export const mcc = listRule({
  name: 'mcc',
  codes: ['MCC_REQUIRED', 'MCC_NOT_ALLOWED', 'MCC_BLOCKED'],
  field: 'mcc',
  noun: 'merchant category code',
  given: (payment) => payment.mcc,
  allowed: (mandate) => mandate.allowedMccs,
  blocked: (mandate) => mandate.blockedMccs,
});
