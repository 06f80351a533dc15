import { clampToOne } from '../../scores/rounding.js';
import type { Feature } from './feature.js';

/** An agent that used to compare offers and no longer does. */
export const alternatives: Feature = {
  name: 'ALTERNATIVES',
  meaning: 'fewer `alternatives_considered` than usual',
  weight: 0.1,
  strength: ({ payment, likeness: { alternatives: usual = 0 } }) => {
    const now = payment.intentContext.alternativesConsidered;
    return now === null || usual < 2 ? 0 : clampToOne((usual - now) / usual);
  },
};
