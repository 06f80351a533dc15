import { clampToOne } from '../../scores/rounding.js';
import type { Feature } from './feature.js';

const rare = 0.03;
/**
 * Additive smoothing: one extra payment in these three hours, as a share of eight over the day's
 * 24, so that a short history makes no hour look rare.
 */
const prior = 1;
const priorOfDay = 8;

export const hour: Feature = {
  name: 'HOUR',
  meaning: 'an hour of the day (UTC) at which the agent hardly ever pays',
  weight: 0.1,
  strength: ({ likeness: { n, sameHours } }) => {
    if (sameHours === undefined) return 0;
    const share = (sameHours + prior) / (n + priorOfDay);
    return clampToOne((rare - share) / rare);
  },
};
