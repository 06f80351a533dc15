import type { Likeness } from '../likeness.js';
import type { Feature } from './feature.js';

/** Of an agent that pays somebody else each time, another one says nothing. */
function newcomer({ newMerchant }: Likeness): number {
  if (!newMerchant) return 0;
  const [distinct, of] = newMerchant;
  return 1 - distinct / of;
}

const weight = 0.15;

export const merchant: Feature = {
  name: 'MERCHANT',
  meaning: 'a new merchant, where others come again',
  weight,
  isSeenByHuman: true,
  strength: ({ payment, likeness }) => (payment.crypto ? 0 : newcomer(likeness)),
};

export const counterparty: Feature = {
  name: 'COUNTERPARTY',
  meaning: 'the same of a transfer',
  weight,
  isSeenByHuman: true,
  strength: ({ payment, likeness }) => (payment.crypto ? newcomer(likeness) : 0),
};
