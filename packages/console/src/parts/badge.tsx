/** Words with a positive or negative meaning; all others are neutral. */
const tones: Record<string, 'good' | 'bad' | 'wait'> = {
  APPROVE: 'good',
  ACTIVE: 'good',
  CONFIRMED: 'good',
  DELIVERED: 'good',
  SETTLED: 'good',
  DECLINE: 'bad',
  REVOKED: 'bad',
  DENIED: 'bad',
  FAILED: 'bad',
  CRITICAL: 'bad',
  OFF: 'bad',
  SUSPEND_AGENT: 'bad',
  STEP_UP: 'wait',
  SUSPENDED: 'wait',
  PENDING: 'wait',
  OPEN: 'wait',
  SUBMITTED: 'wait',
  EXPIRED: 'wait',
  HIGH: 'wait',
  REVIEW_AGENT: 'wait',
};

/** A word of the API. The colour only repeats its meaning, for those who can see it. */
export function Badge({ word }: { word: string }) {
  return <span class={`badge ${tones[word] ?? 'plain'}`}>{word.replaceAll('_', ' ')}</span>;
}
