import { isCount } from '../json-object.js';
import { type Judge, violated } from './constraint.js';

export const amountRange: Judge = ({ currency, min = 0, max = null }, { payment }) => {
  if (!isCount(min) || (max !== null && !isCount(max))) {
    return violated('min and max of the amount range must be whole minor units');
  }
  if (currency !== payment.currency) return violated('the amount range is in another currency');
  if (payment.amount < min) return violated('the amount is below the range that the user set');
  if (max !== null && payment.amount > max) {
    return violated('the amount is above the range that the user set');
  }
  return null;
};
