import type { CommitRequest } from '@countersign/proto/ledger';

type Challenge = Pick<CommitRequest, 'decision' | 'reasonCodes'> & { stepUpExpiresAt: string };

/** What makes a proposal a challenge that is open for longer than a test takes. */
export function asChallenge(): Challenge {
  return {
    decision: 'STEP_UP',
    reasonCodes: ['AMOUNT_STEP_UP'],
    stepUpExpiresAt: new Date(Date.now() + 300_000).toISOString(),
  };
}
