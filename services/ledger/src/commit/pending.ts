import type { CommitResponse } from '@countersign/proto/ledger';
import type { Trace } from '@countersign/runtime/trace';
import type { Proposal } from './proposal.js';

/** A queued proposal, and the callbacks of the call that waits for its outcome. */
export interface Pending {
  readonly proposal: Proposal;
  /** Epoch milliseconds, after which it is not sent. */
  readonly deadlineAt: number;
  /** Null unless the call is traced. */
  readonly trace: Trace;
  readonly settle: (response: CommitResponse) => void;
  readonly fail: (error: unknown) => void;
  /** Proposals with the same id or key that arrived while this one was queued. */
  readonly followers: Pending[];
}

/** True for outcomes that have a recorded answer. */
export function isOnRecord({ outcome }: CommitResponse): boolean {
  return outcome === 'recorded' || outcome === 'replayed';
}

/** A response with no field but the outcome. */
export function outcomeOnly(outcome: string): CommitResponse {
  return { outcome, limitCodes: [], intentCodes: [] };
}
