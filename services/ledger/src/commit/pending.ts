import type { CommitResponse } from '@countersign/proto/ledger';
import type { Trace } from '@countersign/runtime/trace';
import type { Proposal } from './proposal.js';

/** A proposal that waits for its place in a batch, and who waits for what becomes of it. */
export interface Pending {
  readonly proposal: Proposal;
  /** Epoch milliseconds; it is not sent after that. */
  readonly deadlineAt: number;
  /** Null for most; what the batch does for the others shows in their traces. */
  readonly trace: Trace;
  readonly settle: (response: CommitResponse) => void;
  readonly fail: (error: unknown) => void;
  /** Proposals of the same id or key that came while this one waited. */
  readonly followers: Pending[];
}

/** The outcomes after which an answer is on record. */
export function isOnRecord({ outcome }: CommitResponse): boolean {
  return outcome === 'recorded' || outcome === 'replayed';
}

/** A response that says no more than what became of a proposal. */
export function outcomeOnly(outcome: string): CommitResponse {
  return { outcome, limitCodes: [], staleEntities: [], intentCodes: [] };
}
