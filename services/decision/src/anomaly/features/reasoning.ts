import { clampToOne } from '../../scores/rounding.js';
import type { Feature } from './feature.js';

export const reasoningLength: Feature = {
  name: 'REASONING_LENGTH',
  meaning: 'a `reasoning_summary` of unusual length',
  weight: 0.1,
  strength: ({ likeness: { reasoningZ = 0 } }) => clampToOne((Math.abs(reasoningZ) - 3) / 4),
};

export const reasoningReuse: Feature = {
  name: 'REASONING_REUSE',
  meaning: 'the reasoning of an earlier payment, reused for another merchant or amount',
  weight: 0.2,
  strength: ({ likeness }) => (likeness.reasonReused ? 1 : 0),
};
