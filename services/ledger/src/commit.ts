import { fnv1a } from '@countersign/kernel/fnv';
import type { CommitResponse } from '@countersign/proto/ledger';
import type { Pool } from '@countersign/runtime/database';
import type { Logger } from '@countersign/runtime/log';
import { Pace } from '@countersign/runtime/pace';
import type { Trace } from '@countersign/runtime/trace';
import { commitBatch } from './commit/batch.js';
import { answerToFollower } from './commit/duplicates.js';
import { KeptBases } from './commit/kept-bases.js';
import { Lane } from './commit/lane.js';
import type { Pending } from './commit/pending.js';
import type { Proposal } from './commit/proposal.js';
import {
  type Door,
  readProposalType,
  type Settled,
  sendBatch,
  sendWithIntent,
  settleGiven,
} from './commit/statement.js';
import { isTraced, sendTraced } from './commit/traced-batch.js';
import type { CommitMetrics } from './commit-metrics.js';
import { retryContended } from './failure.js';

export interface CommitterOptions {
  pool: Pool;
  lanes: number;
  queueLimit: number;
  /** Real time, whatever clock decisions are made by: deadlines are real. */
  now: () => number;
  log: Logger;
  metrics: CommitMetrics;
  /** Called after a batch that may have left events in the outbox. */
  onCommitted: () => void;
}

/** Larger batches hold their locks longer and gain nothing any more. */
const batchLimit = 128;
const batchEveryMs = 8;
/** So many that nothing is gained by waiting for more. */
const enough = 64;

export interface Committer {
  /** Resolves with what became of the proposal; throws a Fault when that is not known. */
  commit(proposal: Proposal, deadlineAt: number, trace?: Trace): Promise<CommitResponse>;
  /**
   * Puts an answer that was given elsewhere into its place; `absent` and `keyless` where the
   * proposal has to be committed first. `values` are what the database function takes beside it.
   */
  settle(proposal: Proposal, values: readonly unknown[]): Promise<Settled>;
  /** Whether a text that was left out is not known to be on record. */
  lacksBasisOf(proposal: Proposal): boolean;
  /** Resolves when everything that was taken has been answered. */
  idle(): Promise<void>;
}

/**
 * The one write door of decisions, for one environment. Proposals of one mandate share a lane, so a
 * hot mandate is one queue and not a crowd around one row. That is for speed alone: what keeps a
 * limit are the row locks in the database, whatever lane or replica a proposal comes through.
 */
export async function createCommitter(options: CommitterOptions): Promise<Committer> {
  const { pool } = options;
  const door: Door = { pool, type: await readProposalType(pool), bases: new KeptBases() };
  const lanes = Array.from({ length: options.lanes }, () =>
    createLane(options, {
      batchLimit,
      pace: new Pace({ everyMs: batchEveryMs, enough }),
      send: (batch) => sendBatch(door, batch),
    }),
  );
  // One lane, so that however many chains are presented they leave the others their connections.
  const intents = createLane(options, {
    batchLimit: 1,
    pace: unpaced,
    send: async ([only]) => (only ? sendWithIntent(door, only) : []),
  });
  const laneOf = ({ mandateId, principalId, intent }: Proposal): Lane | undefined =>
    intent ? intents : lanes[fnv1a(mandateId ?? principalId) % lanes.length];
  const all = [...lanes, intents];
  options.metrics.watchQueue(() => all.reduce((sum, lane) => sum + lane.waiting, 0));

  return {
    commit: (proposal, deadlineAt, trace = null) =>
      new Promise((settle, fail) => {
        laneOf(proposal)?.push({ proposal, deadlineAt, trace, settle, fail, followers: [] });
      }),
    settle: async (proposal, values) => {
      const settled = await retryContended(() => settleGiven(door, proposal, values));
      if (settled.outcome === 'recorded') options.onCommitted();
      return settled;
    },
    lacksBasisOf: (proposal) => door.bases.lacks(proposal),
    idle: async () => {
      await Promise.all(all.map((lane) => lane.idle()));
    },
  };
}

/** What goes alone gains nothing by waiting for more. */
const unpaced = { begin: async () => {} };

/** How the proposals of a lane are sent. */
interface Course {
  /** The most that are sent together. */
  batchLimit: number;
  pace: Pick<Pace, 'begin'>;
  send: (batch: readonly Pending[]) => Promise<Array<CommitResponse | null>>;
}

function createLane(
  { queueLimit, now, log, metrics, onCommitted }: CommitterOptions,
  { send, ...course }: Course,
): Lane {
  const requeueFollowers = (pending: Pending, response: CommitResponse | null): void => {
    for (const follower of pending.followers.splice(0)) {
      const answer = response && answerToFollower(pending, response, follower);
      if (answer) follower.settle(answer);
      else lane.requeue(follower);
    }
  };
  const lane: Lane = new Lane({
    ...course,
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
          metrics.outcome(response.outcome);
          pending.settle(response);
          requeueFollowers(pending, response);
        },
        fail: (pending, error) => {
          metrics.outcome('failed');
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
