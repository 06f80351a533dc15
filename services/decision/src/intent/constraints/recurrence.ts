import { isCount, isText } from '../json-object.js';
import { dayOf, isDay } from './calendar.js';
import { type Judge, violated } from './constraint.js';

/** A subscription run by the merchant: the chain authorizes only the payment that sets it up. */
export const recurrence: Judge = (body, { examination }) => {
  const { frequency, start_date: start, end_date: end = null, number = null } = body;
  if (!isText(frequency) || !isDay(start) || (end !== null && !isDay(end))) {
    return violated(
      'recurrence needs frequency and start_date; end_date is optional, but must be a date',
    );
  }
  if (number !== null && (!isCount(number) || number === 0)) {
    return violated('the number of recurrences must be a whole number above zero');
  }
  if (end !== null && (end < start || dayOf(examination.surroundings.now) > end)) {
    return violated('the recurrence that the user allowed has ended');
  }
  return null;
};
