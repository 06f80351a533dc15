import type { Likeness } from '../likeness.js';
import type { Feature } from './feature.js';

/** An agent that pays a different merchant each time does not differ by paying one more. */
function newMerchantStrength({ newMerchant }: Likeness): number {
  if (!newMerchant) return 0;
  const [distinct, of] = newMerchant;
  return 1 - distinct / of;
}

const weight = 0.15;

export const merchant: Feature = {
  name: 'MERCHANT',
  meaning: 'a new merchant, if the agent usually returns to the same ones',
  weight,
  isSeenByHuman: true,
  strength: ({ payment, likeness }) => (payment.crypto ? 0 : newMerchantStrength(likeness)),
};

export const counterparty: Feature = {
  name: 'COUNTERPARTY',
  meaning: 'the same for the counterparty of a transfer',
  weight,
  isSeenByHuman: true,
  strength: ({ payment, likeness }) => (payment.crypto ? newMerchantStrength(likeness) : 0),
};
