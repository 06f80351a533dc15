import type { Feature } from './feature.js';

const repeatsOfLoop = 3;
const merchantsOfTask = 5;

/** Two signs of an agent out of control: the same payment repeated, or one task that pays many. */
export const taskLoop: Feature = {
  name: 'TASK_LOOP',
  meaning: 'the same task, merchant and amount three times a day, or six merchants for one task',
  weight: 0.35,
  strength: ({ likeness: { repeats = 1, taskMerchants = 1 } }) =>
    repeats >= repeatsOfLoop || taskMerchants > merchantsOfTask ? 1 : 0,
};
