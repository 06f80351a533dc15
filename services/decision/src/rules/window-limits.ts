import { answerMarkers } from '@countersign/kernel/answer-marker';
import { Decimal } from '@countersign/kernel/money';
import type { MandateFacts, UsageFacts } from '../facts/shape.js';
import type { Rule } from './rule.js';
import { money } from './wording.js';

interface Asked {
  mandate: MandateFacts;
  amount: Decimal;
  usage: UsageFacts | null;
}

const midnight = 'wait until 00:00 UTC';
const newMonth = 'wait until the 1st, 00:00 UTC';

/** Details by code. The ledger replaces the markers by the remaining amounts. */
const details: Record<string, (asked: Asked) => string> = {
  DAILY_AMOUNT_EXCEEDED: ({ mandate: { currency, maxDailyAmount }, amount, usage }) =>
    inWords({
      window: 'daily',
      limit: maxDailyAmount ?? '0',
      used: usage?.dailyAmount,
      remaining: answerMarkers.dailyAmountRemaining,
      wait: midnight,
      currency,
      amount,
    }),
  MONTHLY_AMOUNT_EXCEEDED: ({ mandate: { currency, maxMonthlyAmount }, amount, usage }) =>
    inWords({
      window: 'monthly',
      limit: maxMonthlyAmount ?? '0',
      used: usage?.monthlyAmount,
      remaining: answerMarkers.monthlyAmountRemaining,
      wait: newMonth,
      currency,
      amount,
    }),
  DAILY_COUNT_EXCEEDED: ({ mandate: { maxDailyCount } }) =>
    `the limit of ${payments(maxDailyCount)} a day is reached, ${midnight}`,
  MONTHLY_COUNT_EXCEEDED: ({ mandate: { maxMonthlyCount } }) =>
    `the limit of ${payments(maxMonthlyCount)} a month is reached, ${newMonth}`,
};

interface AmountLimit {
  window: 'daily' | 'monthly';
  limit: string;
  used: string | undefined;
  remaining: string;
  wait: string;
  currency: string;
  amount: Decimal;
}

/**
 * "At most 0.00" would be no help to an agent, so an exhausted limit is worded differently. Nor
 * would waiting be, for an amount that a whole window does not hold.
 */
function inWords({ window, limit, used, remaining, wait, currency, amount }: AmountLimit): string {
  const name = `the ${window} limit of ${money(limit, currency)}`;
  const fitsLater = amount.lte(limit);
  if (used !== undefined && new Decimal(used).gte(limit)) {
    return `${name} is used up, ${wait}${fitsLater ? '' : ' and send no more than that'}`;
  }
  const most = `the amount exceeds the remaining ${remaining} ${currency} of ${name}`;
  return `${most}, send no more than that${fitsLater ? ` or ${wait}` : ''}`;
}

function payments(count: number | null): string {
  return count === 1 ? '1 payment' : `${count ?? 0} payments`;
}

export const windowLimitCodes = Object.keys(details);

/**
 * Only the ledger sees every payment and knows whether a window is full. This rule reports what it
 * answered to the previous proposal.
 */
export const windowLimits: Rule = {
  name: 'window-limits',
  codes: windowLimitCodes,
  check: ({ facts: { limits }, mandate, amount }) =>
    windowLimitCodes
      .filter((code) => mandate && limits.codes.includes(code))
      .map((code) => ({
        code,
        detail: mandate ? (details[code]?.({ mandate, amount, usage: limits.usage }) ?? '') : '',
      })),
};
