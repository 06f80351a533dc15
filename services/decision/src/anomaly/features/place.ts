import type { Likeness } from '../likeness.js';
import { type Feature, unseenStrength } from './feature.js';

function newPlaceStrength({ place }: Likeness): number {
  if (!place) return 0;
  const [same, of] = place;
  return same === 0 ? unseenStrength(of) : 0;
}

const weight = 0.25;

export const country: Feature = {
  name: 'COUNTRY',
  meaning: 'a new country',
  weight,
  isSeenByHuman: true,
  strength: ({ payment, likeness }) => (payment.crypto ? 0 : newPlaceStrength(likeness)),
};

export const chainAsset: Feature = {
  name: 'CHAIN_ASSET',
  meaning: 'a new chain or asset',
  weight,
  isSeenByHuman: true,
  strength: ({ payment, likeness }) => (payment.crypto ? newPlaceStrength(likeness) : 0),
};
