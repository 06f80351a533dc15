import type { Feature } from './feature.js';

const repeatsOfLoop = 3;
const merchantsOfTask = 5;

/** The same over and over, or one task that ends up paying everybody. */
export const taskLoop: Feature = {
  name: 'TASK_LOOP',
  meaning: 'the same task, merchant and amount three times a day, or a task at six merchants',
  weight: 0.35,
  strength: ({ likeness: { repeats = 1, taskMerchants = 1 } }) =>
    repeats >= repeatsOfLoop || taskMerchants > merchantsOfTask ? 1 : 0,
};
