import { clampToOne } from '../../scores/rounding.js';
import type { Feature } from './feature.js';

/** One-sided: a smaller amount than usual is no risk. */
export const amount: Feature = {
  name: 'AMOUNT',
  meaning: 'far above the usual amount',
  weight: 0.45,
  isSeenByHuman: true,
  strength: ({ likeness: { amountZ = 0 } }) => clampToOne((amountZ - 2.5) / 3.5),
};
