import type { Api } from '../api/client.js';
import type { FraudCase } from '../api/shapes.js';
import type { Question } from '../parts/ask.js';

/** What each resolution records besides closing the case. */
export const resolutions = {
  CONFIRMED_FRAUD: {
    button: 'It was fraud',
    consequence:
      'The outcome CONFIRMED_FRAUD is recorded for the payment, and the agent falls back to ' +
      'REGISTERED. This cannot be taken back.',
    dangerous: true,
  },
  FALSE_POSITIVE: {
    button: 'It was no fraud',
    consequence:
      'The outcome FALSE_POSITIVE_REPORTED is recorded for the payment and counts for the agent. ' +
      'This cannot be taken back.',
    dangerous: false,
  },
  INCONCLUSIVE: {
    button: 'It cannot be told',
    consequence: 'The case is closed, and nothing is recorded about the agent.',
    dangerous: false,
  },
} as const;

export type Resolution = keyof typeof resolutions;

export function resolutionQuestion(api: Api, { id }: FraudCase, resolution: Resolution): Question {
  const { button, consequence, dangerous } = resolutions[resolution];
  return {
    title: `${button}: close the case?`,
    consequence,
    action: 'Close the case',
    dangerous,
    perform: () => api.send('POST', `/cases/${id}/resolve`, JSON.stringify({ resolution })),
  };
}
