import { clampToOne } from '../../scores/rounding.js';
import { type Feature, unseenStrength } from './feature.js';

const rare = 0.02;

export const mcc: Feature = {
  name: 'MCC',
  meaning: 'an MCC that is new or rare for the agent',
  weight: 0.25,
  isSeenByHuman: true,
  strength: ({ likeness }) => {
    if (!likeness.mcc) return 0;
    const [same, of] = likeness.mcc;
    if (same === 0) return unseenStrength(of);
    return clampToOne((rare - same / of) / rare);
  },
};
