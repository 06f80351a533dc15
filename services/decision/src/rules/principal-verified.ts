import type { Rule } from './rule.js';

export const principalVerified: Rule = {
  name: 'principal-verified',
  codes: ['PRINCIPAL_NOT_VERIFIED'],
  check: ({ principal }) => {
    const { verificationStatus } = principal;
    if (verificationStatus === 'VERIFIED') return [];
    const now = `the principal's verification is ${verificationStatus}`;
    const detail = `${now}, it must be VERIFIED first`;
    return [{ code: 'PRINCIPAL_NOT_VERIFIED', detail }];
  },
};
