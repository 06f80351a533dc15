import { allowedOf, allowListProblem } from './allow-list.js';
import type { Judge } from './constraint.js';
import { isSameMerchant } from './merchant-match.js';

export const allowedPayees: Judge = (body, fulfilled) => {
  const list = allowedOf(body, 'allowed_payees');
  const { payee } = fulfilled.payment;
  const matches = (entry: unknown) => isSameMerchant(entry, payee);
  return allowListProblem({ what: 'payee', list, matches }, fulfilled);
};
