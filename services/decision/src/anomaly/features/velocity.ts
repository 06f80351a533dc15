import { clampToOne } from '../../scores/rounding.js';
import type { Feature } from './feature.js';

const leastAnHour = 0.05;
/** What is less likely says no more than this. */
const unlikeliest = 1e-9;

/** More payments in the last hour than chance would bring at the agent's pace. */
export const velocity: Feature = {
  name: 'VELOCITY',
  meaning: 'more approvals within an hour than the usual pace explains',
  weight: 0.4,
  strength: ({ likeness: { n, pace } }) => {
    if (!pace) return 0;
    const [lastHour, spanHours] = pace;
    const chance = poissonTail(lastHour, Math.max(leastAnHour, n / spanHours));
    return clampToOne((-Math.log10(Math.max(unlikeliest, chance)) - 3) / 4);
  },
};

/** How likely it is that `count` or more come where `mean` are to be expected. */
function poissonTail(count: number, mean: number): number {
  let term = Math.exp(-mean);
  let below = 0;
  for (let k = 0; k < count; k += 1) {
    below += term;
    term *= mean / (k + 1);
  }
  return 1 - below;
}
