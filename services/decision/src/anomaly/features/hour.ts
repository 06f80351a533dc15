import { clampToOne } from '../../scores/rounding.js';
import type { Feature } from './feature.js';

const rare = 0.03;
/** As if one more payment were spread over these three of the day's 24 hours. */
const prior = 1;
const priorOfDay = 8;

/** At an hour, or beside one, at which the agent hardly ever pays. */
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
