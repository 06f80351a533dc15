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
    const detail = isNamed
      ? `${amounts} to a ${whom} that the agent has not paid before need a human,` +
        ' have it confirmed'
      : `${amounts} to a merchant that is not named need a human,` +
        ' name it or have it confirmed';
    return [{ code: 'NEW_MERCHANT_STEP_UP', detail }];
  },
};
