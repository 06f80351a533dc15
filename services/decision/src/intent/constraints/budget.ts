import { isCount } from '../json-object.js';
import { type Judge, violated } from './constraint.js';

/** Of all payments together, which the ledger sums; this one alone must fit already. */
export const budget: Judge = ({ currency, max }, { payment }) => {
  if (!isCount(max)) return violated('the budget needs max in whole minor units');
  if (currency !== payment.currency) return violated('the budget is in another currency');
  if (payment.amount <= max) return null;
  return { code: 'VI_BUDGET_EXCEEDED', detail: 'the amount alone is above the budget' };
};
