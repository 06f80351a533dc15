import type { CommitResponse } from '@countersign/proto/ledger';
import type { Trace } from '@countersign/runtime/trace';
import type { Proposal } from './proposal.js';

/** A queued proposal, and the callbacks of the call that waits for its outcome. */
export interface Pending {
  readonly proposal: Proposal;
  /** Epoch milliseconds; it is not sent after that. */
  readonly deadlineAt: number;
  /** Null unless the call is traced. */
  readonly trace: Trace;
  readonly settle: (response: CommitResponse) => void;
  readonly fail: (error: unknown) => void;
  /** Proposals of the same id or key that came while this one waited. */
  readonly followers: Pending[];
}

/** True for outcomes after which an answer is on record. */
export function isOnRecord({ outcome }: CommitResponse): boolean {
  return outcome === 'recorded' || outcome === 'replayed';
}

/** A response that has the outcome and nothing else. */
export function outcomeOnly(outcome: string): CommitResponse {
  return { outcome, limitCodes: [], staleEntities: [], intentCodes: [] };
}
