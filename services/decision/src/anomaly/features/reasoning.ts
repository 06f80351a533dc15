import { clampToOne } from '../../scores/rounding.js';
import type { Feature } from './feature.js';

/** Far longer or shorter than what the agent usually says. */
export const reasoningLength: Feature = {
  name: 'REASONING_LENGTH',
  meaning: 'a `reasoning_summary` of unusual length',
  weight: 0.1,
  strength: ({ likeness: { reasoningZ = 0 } }) => clampToOne((Math.abs(reasoningZ) - 3) / 4),
};

/** The reason that another payment was given already. */
export const reasoningReuse: Feature = {
  name: 'REASONING_REUSE',
  meaning: 'the reason of an earlier payment, for another merchant or amount',
  weight: 0.2,
  strength: ({ likeness }) => (likeness.reasonReused ? 1 : 0),
};
