import { fnv1a } from '@countersign/kernel/fnv';
import type { CommitResponse } from '@countersign/proto/ledger';
import type { Pool } from '@countersign/runtime/database';
import type { Logger } from '@countersign/runtime/log';
import { Pace } from '@countersign/runtime/sharing/pace';
import type { Trace } from '@countersign/runtime/trace';
import { commitBatch } from './commit/batch.js';
import { answerToFollower } from './commit/duplicates.js';
import { Lane } from './commit/lane.js';
import type { Pending } from './commit/pending.js';
import type { Proposal } from './commit/proposal.js';
import { type Settled, sendBatch, sendWithIntent, settleGiven } from './commit/statement.js';
import { CommitStore } from './commit/store.js';
import { isTraced, sendTraced } from './commit/traced-batch.js';
import type { CommitMetrics } from './commit-metrics.js';
import { type AttemptLimits, retryContended } from './failure.js';

interface CommitterOptions {
  pool: Pool;
  lanes: number;
  queueLimit: number;
  /** The system time, by which deadlines are measured, even if decisions use another clock. */
  now: () => number;
  log: Logger;
  metrics: CommitMetrics;
  /** Called after a batch that may have added events to the outbox. */
  onCommitted: () => void;
}

/** Larger batches hold their locks longer without being cheaper per proposal. */
const batchLimit = 128;
const batchEveryMs = 8;
/** After fewer than eight proposals the next batch may start earlier. */
const batchEveryMsEach = 1;
/** A batch of this size is sent without waiting for `batchEveryMs`. */
const readySize = 64;

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

/**
 * Writes all decisions of one environment. Proposals for one mandate share a lane, so that a hot
 * mandate is one queue instead of many connections waiting for one row lock. Lanes only improve
 * performance: the row locks in the database enforce limits across lanes and replicas.
 */
export async function createCommitter(options: CommitterOptions): Promise<Committer> {
  const { pool } = options;
  const store = await CommitStore.open(pool, options.log);
  const lanes = Array.from({ length: options.lanes }, () =>
    createLane(options, {
      batchLimit,
      pace: new Pace({ everyMs: batchEveryMs, everyMsEach: batchEveryMsEach, readySize }),
      send: (batch) => sendBatch(store, batch),
    }),
  );
  // A single lane, so that proposals with a vi_chain use at most one connection at a time.
  const intents = createLane(options, {
    batchLimit: 1,
    pace: unpaced,
    send: async ([only]) => (only ? sendWithIntent(store, only) : []),
  });
  const laneOf = ({ mandateId, principalId, intent }: Proposal): Lane | undefined =>
    intent ? intents : lanes[fnv1a(mandateId ?? principalId) % lanes.length];
  const all = [...lanes, intents];
  options.metrics.watchQueue(() => all.reduce((sum, lane) => sum + lane.waiting, 0));

  return {
    commit: (proposal, deadlineAt, trace = null) =>
      new Promise((settle, reject) => {
        // Here, since a proposal may also fail before a batch takes it.
        const fail = (error: unknown): void => {
          options.metrics.outcome('failed');
          reject(error);
        };
        laneOf(proposal)?.push({ proposal, deadlineAt, trace, settle, fail, followers: [] });
      }),
    settle: async (proposal, values, limits) => {
      const settled = await retryContended(limits, () => settleGiven(store, proposal, values));
      if (settled.outcome === 'recorded') options.onCommitted();
      return settled;
    },
    idle: async () => {
      await Promise.all(all.map((lane) => lane.idle()));
    },
  };
}

/** For batches of one proposal, which do not benefit from waiting. */
const unpaced = { begin: async () => {} };

/** The differences between the two kinds of lanes. */
interface LaneKind {
  /** Maximum number of proposals in a batch. */
  batchLimit: number;
  pace: Pick<Pace, 'begin'>;
  send: (batch: readonly Pending[]) => Promise<Array<CommitResponse | null>>;
}

function createLane(
  { queueLimit, now, log, metrics, onCommitted }: CommitterOptions,
  { send, ...kind }: LaneKind,
): Lane {
  const settle = (pending: Pending, response: CommitResponse): void => {
    metrics.outcome(response.outcome);
    pending.settle(response);
  };
  const requeueFollowers = (pending: Pending, response: CommitResponse | null): void => {
    for (const follower of pending.followers.splice(0)) {
      const answer = response && answerToFollower(pending, response, follower);
      if (answer) settle(follower, answer);
      else lane.requeue(follower);
    }
  };
  const lane: Lane = new Lane({
    ...kind,
    queueLimit,
    now,
    commit: async (batch) => {
      const stop = metrics.startBatch(batch.length);
      await commitBatch(batch, {
        now,
        send: (open) => {
          metrics.statement();
          return isTraced(open) ? sendTraced(open, send) : send(open);
        },
        settle: (pending, response) => {
          settle(pending, response);
          requeueFollowers(pending, response);
        },
        fail: (pending, error) => {
          pending.fail(error);
          requeueFollowers(pending, null);
        },
        onError: (error, batchSize) => log.warn({ err: error, batchSize }, 'batch not committed'),
      });
      stop();
      onCommitted();
    },
  });
  return lane;
}
