import { answerMarkers } from '@countersign/kernel/answer';
import type { MandateFacts } from '../facts-shape.js';
import type { Rule } from './rule.js';
import { money } from './wording.js';

/** Wording by code; what remains is filled in by the ledger, which alone knows it. */
const details: Record<string, (mandate: MandateFacts) => string> = {
  DAILY_AMOUNT_EXCEEDED: ({ currency, maxDailyAmount }) =>
    `the amount is above the ${answerMarkers.dailyAmountRemaining} ${currency} still available` +
    ` today of ${money(maxDailyAmount ?? '0', currency)}, send no more than that` +
    ' or wait until 00:00 UTC',
  MONTHLY_AMOUNT_EXCEEDED: ({ currency, maxMonthlyAmount }) =>
    `the amount is above the ${answerMarkers.monthlyAmountRemaining} ${currency} still available` +
    ` this month of ${money(maxMonthlyAmount ?? '0', currency)}, send no more than that` +
    ' or wait until the 1st, 00:00 UTC',
  DAILY_COUNT_EXCEEDED: ({ maxDailyCount }) =>
    `all ${maxDailyCount ?? 0} payments of the day are used, wait until 00:00 UTC`,
  MONTHLY_COUNT_EXCEEDED: ({ maxMonthlyCount }) =>
    `all ${maxMonthlyCount ?? 0} payments of the month are used,` +
    ' wait until the 1st, 00:00 UTC',
};

export const windowLimitCodes = Object.keys(details);

/**
 * Whether a window is full is the ledger's to say: it alone sees every payment. This rule repeats
 * what the ledger answered to the proposal before.
 */
export const windowLimits: Rule = {
  name: 'window-limits',
  codes: windowLimitCodes,
  check: ({ facts, mandate }) =>
    windowLimitCodes
      .filter((code) => mandate && facts.limits.codes.includes(code))
      .map((code) => ({ code, detail: mandate ? (details[code]?.(mandate) ?? '') : '' })),
};
