import { allowedOf, allowListProblem } from './allow-list.js';
import type { Judge } from './constraint.js';
import { isSameMerchant } from './merchant-match.js';
import { mayReceive } from './receiver.js';

export const allowedPayees: Judge = (body, fulfilled) => {
  const list = allowedOf(body, 'allowed_payees');
  const { payee } = fulfilled.payment;
  const isPayee = (entry: unknown) => isSameMerchant(entry, payee);
  const isPaid = (entry: unknown) => isPayee(entry) && mayReceive(entry, fulfilled);
  return (
    allowListProblem({ what: 'payee', list, matches: isPayee }, fulfilled) ??
    allowListProblem({ what: "payee's receiving address", list, matches: isPaid }, fulfilled)
  );
};
