import { isCount, isText } from '../json-object.js';
import { dayOf, isDay } from './calendar.js';
import { type Judge, violated } from './constraint.js';

const requiredTypes = ['mandate.payment.amount_range', 'mandate.payment.budget'];

/** Several payments within a date range. The ledger counts them in its transaction. */
export const agentRecurrence: Judge = (body, { constraints, examination }) => {
  const { frequency, start_date: start, end_date: end, max_occurrences: most = null } = body;
  if (!isText(frequency) || !isDay(start) || !isDay(end)) {
    return violated('agent_recurrence needs frequency, start_date and end_date');
  }
  if (most !== null && (!isCount(most) || most === 0)) {
    return violated('max_occurrences must be a whole number above zero');
  }
  if (requiredTypes.some((type) => !constraints.some((constraint) => constraint.type === type))) {
    return violated('agent_recurrence requires an amount range and a budget as well');
  }
  const today = dayOf(examination.surroundings.now);
  if (today < start || today > end) return violated('today is outside the dates the user set');
  return null;
};
