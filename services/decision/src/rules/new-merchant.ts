import type { Rule } from './rule.js';
import { money } from './wording.js';

/** A human must confirm payments from a given amount on to a merchant that is new to the agent. */
export const newMerchant: Rule = {
  name: 'new-merchant',
  codes: ['NEW_MERCHANT_STEP_UP'],
  check: ({ facts, payment, amount, thresholds }) => {
    const { newMerchantStepUpAmount: from } = thresholds;
    if (facts.merchantKnown !== false || from === null || amount.lt(from)) return [];
    const amounts = `amounts from ${money(from, payment.currency)}`;
    const whom = payment.crypto ? 'counterparty' : 'merchant';
    const isNamed = payment.crypto ?? payment.merchantId ?? payment.merchantName;
    const who = isNamed
      ? `${whom} that the agent has not paid before`
      : 'merchant that is not named';
    const declinedDetail = `${amounts} to a ${who} need a human`;
    const advice = isNamed ? 'have it confirmed' : 'name it or have it confirmed';
    const detail = `${declinedDetail}, ${advice}`;
    return [{ code: 'NEW_MERCHANT_STEP_UP', detail, declinedDetail }];
  },
};
