import { clampToOne } from '../../scores/rounding.js';
import type { Feature } from './feature.js';

/** Lower bound of the expected rate, so that two payments of a rarely used agent do not count. */
const minPaymentsPerHour = 0.05;
/** Below this the probability is lost in rounding errors, and the strength is 1 anyway. */
const minProbability = 1e-9;

/** How improbable this many payments in an hour are in a Poisson process with the agent's rate. */
export const velocity: Feature = {
  name: 'VELOCITY',
  meaning: 'more approvals within an hour than the usual rate explains',
  weight: 0.4,
  strength: ({ likeness: { n, pace } }) => {
    if (!pace) return 0;
    const [lastHour, spanHours] = pace;
    const probability = poissonTail(lastHour, Math.max(minPaymentsPerHour, n / spanHours));
    return clampToOne((-Math.log10(Math.max(minProbability, probability)) - 3) / 4);
  },
};

/** Probability of `count` or more events where `mean` are expected. */
function poissonTail(count: number, mean: number): number {
  let term = Math.exp(-mean);
  let below = 0;
  for (let k = 0; k < count; k += 1) {
    below += term;
    term *= mean / (k + 1);
  }
  return 1 - below;
}
