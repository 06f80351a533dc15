import type { CommitResponse } from '@countersign/proto/ledger';
import type { Pool } from '@countersign/runtime/database';
import type { Trace } from '@countersign/runtime/trace';
import { type LanesOptions, openLanes } from './commit/lanes.js';
import type { Proposal } from './commit/proposal.js';
import { type Settled, settleGiven } from './commit/statement.js';
import { CommitStore } from './commit/store.js';
import { type AttemptLimits, retryContended } from './failure.js';

interface CommitterOptions extends LanesOptions {
  pool: Pool;
}

export interface Committer {
  /** Resolves with the outcome of the proposal; rejects with a Fault if it is unknown. */
  commit(proposal: Proposal, deadlineAt: number, trace?: Trace): Promise<CommitResponse>;
  /**
   * Records a given answer and voids a decision that was committed under its id. The outcome is
   * `absent` or `keyless` if the proposal must be committed first, with or without its key.
   * `values` are the remaining parameters of `settle_given_answer`.
   */
  settle(proposal: Proposal, values: readonly unknown[], limits: AttemptLimits): Promise<Settled>;
  /** Resolves when no proposal is queued or in flight. */
  idle(): Promise<void>;
}

/** Writes all decisions of one environment. */
export async function createCommitter(options: CommitterOptions): Promise<Committer> {
  const { pool, log, metrics, onCommitted } = options;
  const store = await CommitStore.open(pool, log);
  const lanes = openLanes(options, store);
  metrics.watchQueue(() => lanes.all.reduce((sum, lane) => sum + lane.waiting, 0));

  return {
    commit: (proposal, deadlineAt, trace = null) =>
      new Promise((settle, reject) => {
        // Here, since a proposal may also fail before a batch takes it.
        const fail = (error: unknown): void => {
          metrics.outcome('failed');
          reject(error);
        };
        lanes.of(proposal)?.push({ proposal, deadlineAt, trace, settle, fail, followers: [] });
      }),
    settle: async (proposal, values, limits) => {
      const settled = await retryContended(limits, () => settleGiven(store, proposal, values));
      if (settled.outcome === 'recorded') onCommitted();
      return settled;
    },
    idle: async () => {
      await Promise.all(lanes.all.map((lane) => lane.idle()));
    },
  };
}
