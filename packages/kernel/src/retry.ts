/** What a caller can do after a refusal for a reason. */
export type Retry = 'never' | 'after_window' | 'change_request' | 'after_human' | 'transient';

/** Published with the reason codes. */
export const retryMeanings: Readonly<Record<Retry, string>> = {
  never: 'Asking again does not help.',
  after_window:
    'Ask again when the day or the month (UTC) is over, or for no more than what is left of it.',
  change_request: 'Change the request as `reason_detail` says, and ask again.',
  after_human:
    'A human has to act first: confirm the payment, or change the agent, its mandate or the ' +
    'Principal.',
  transient: 'A passing fault. Ask again shortly.',
};
