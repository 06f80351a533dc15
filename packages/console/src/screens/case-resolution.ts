import type { Api } from '../api/client.js';
import type { FraudCase } from '../api/shapes.js';
import type { Question } from '../parts/ask.js';

/** The consequences of each resolution besides closing the case. */
export const resolutions = {
  CONFIRMED_FRAUD: {
    button: 'Confirm fraud',
    consequence:
      'The outcome CONFIRMED_FRAUD is recorded for the payment, and the agent is demoted to ' +
      'REGISTERED. This cannot be undone.',
    dangerous: true,
  },
  FALSE_POSITIVE: {
    button: 'Not fraud',
    consequence:
      'The outcome FALSE_POSITIVE_REPORTED is recorded for the payment, in favour of the agent. ' +
      'This cannot be undone.',
    dangerous: false,
  },
  INCONCLUSIVE: {
    button: 'Inconclusive',
    consequence: 'The case is closed without recording an outcome for the payment.',
    dangerous: false,
  },
} as const;

export type Resolution = keyof typeof resolutions;

export function resolutionQuestion(api: Api, { id }: FraudCase, resolution: Resolution): Question {
  const { button, consequence, dangerous } = resolutions[resolution];
  return {
    title: `Close the case: ${button.toLowerCase()}?`,
    consequence,
    action: 'Close case',
    dangerous,
    perform: () => api.send('POST', `/cases/${id}/resolve`, JSON.stringify({ resolution })),
  };
}
