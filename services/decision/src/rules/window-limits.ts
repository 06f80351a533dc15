import { answerMarkers } from '@countersign/kernel/answer-marker';
import { Decimal } from '@countersign/kernel/money';
import type { MandateFacts, UsageFacts } from '../facts/shape.js';
import type { Rule } from './rule.js';
import { money } from './wording.js';

type Wording = (mandate: MandateFacts, usage: UsageFacts | null) => string;

const midnight = 'wait until 00:00 UTC';
const newMonth = 'wait until the 1st, 00:00 UTC';

/** Details by code. The ledger replaces the markers by the remaining amounts. */
const details: Record<string, Wording> = {
  DAILY_AMOUNT_EXCEEDED: ({ currency, maxDailyAmount }, usage) => {
    const limit = money(maxDailyAmount ?? '0', currency);
    if (isUsedUp(maxDailyAmount, usage?.dailyAmount)) {
      return `the daily limit of ${limit} is used up, ${midnight}`;
    }
    const rest = `${answerMarkers.dailyAmountRemaining} ${currency}`;
    return (
      `the amount exceeds the remaining ${rest} of the daily limit of ${limit},` +
      ` send no more than that or ${midnight}`
    );
  },
  MONTHLY_AMOUNT_EXCEEDED: ({ currency, maxMonthlyAmount }, usage) => {
    const limit = money(maxMonthlyAmount ?? '0', currency);
    if (isUsedUp(maxMonthlyAmount, usage?.monthlyAmount)) {
      return `the monthly limit of ${limit} is used up, ${newMonth}`;
    }
    const rest = `${answerMarkers.monthlyAmountRemaining} ${currency}`;
    return (
      `the amount exceeds the remaining ${rest} of the monthly limit of ${limit},` +
      ` send no more than that or ${newMonth}`
    );
  },
  DAILY_COUNT_EXCEEDED: ({ maxDailyCount }) =>
    `the limit of ${payments(maxDailyCount)} a day is reached, ${midnight}`,
  MONTHLY_COUNT_EXCEEDED: ({ maxMonthlyCount }) =>
    `the limit of ${payments(maxMonthlyCount)} a month is reached, ${newMonth}`,
};

/** "At most 0.00" would be no help to an agent, so an exhausted limit is worded differently. */
function isUsedUp(limit: string | null, used: string | undefined): boolean {
  return limit !== null && used !== undefined && new Decimal(used).gte(limit);
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
  check: ({ facts: { limits }, mandate }) =>
    windowLimitCodes
      .filter((code) => mandate && limits.codes.includes(code))
      .map((code) => ({
        code,
        detail: mandate ? (details[code]?.(mandate, limits.usage) ?? '') : '',
      })),
};
