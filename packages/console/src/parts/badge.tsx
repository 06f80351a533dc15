/** Whether a word is good news; everything else is neither. */
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
  STEP_UP: 'wait',
  SUSPENDED: 'wait',
  PENDING: 'wait',
  OPEN: 'wait',
  SUBMITTED: 'wait',
  EXPIRED: 'wait',
  HIGH: 'wait',
};

/** A word of the contract. Its colour repeats what it says, for who sees colours. */
export function Badge({ word }: { word: string }) {
  return <span class={`badge ${tones[word] ?? 'plain'}`}>{word.replaceAll('_', ' ')}</span>;
}
