import { isCount } from '../json-object.js';
import { type Judge, violated } from './constraint.js';

/** The ledger enforces the sum of all payments; here only this one is compared with the budget. */
export const budget: Judge = ({ currency, max }, { payment }) => {
  if (!isCount(max)) return violated('max of the budget must be whole minor units');
  if (currency !== payment.currency) return violated('the budget is in another currency');
  if (payment.amount <= max) return null;
  return { code: 'VI_BUDGET_EXCEEDED', detail: 'the amount alone exceeds the budget' };
};
