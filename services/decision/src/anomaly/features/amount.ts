import { clampToOne } from '../../scores/rounding.js';
import type { Feature } from './feature.js';

/** Much more than usual; less is never unlike. */
export const amount: Feature = {
  name: 'AMOUNT',
  meaning: 'far above the usual amount',
  weight: 0.45,
  isSeenByHuman: true,
  strength: ({ likeness: { amountZ = 0 } }) => clampToOne((amountZ - 2.5) / 3.5),
};
