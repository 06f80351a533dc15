import { fnv1a } from '@countersign/kernel/fnv';
import type { CommitResponse } from '@countersign/proto/ledger';
import type { Logger } from '@countersign/runtime/log';
import { Pace } from '@countersign/runtime/sharing/pace';
import type { CommitMetrics } from '../commit-metrics.js';
import { type BatchParts, commitBatch } from './batch.js';
import { answerToFollower } from './duplicates.js';
import { Lane } from './lane.js';
import type { Pending } from './pending.js';
import type { Proposal } from './proposal.js';
import { sendBatch, sendWithIntent } from './statement.js';
import type { CommitStore } from './store.js';
import { isTraced, sendTraced } from './traced-batch.js';

export interface LanesOptions {
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

interface Lanes {
  all: readonly Lane[];
  of(proposal: Proposal): Lane | undefined;
}

/**
 * Proposals for one mandate share a lane, so that a hot mandate is one queue instead of many
 * connections waiting for one row lock. Lanes only improve performance: the row locks in the
 * database enforce limits across lanes and replicas.
 */
export function openLanes(options: LanesOptions, store: CommitStore): Lanes {
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
  return {
    all: [...lanes, intents],
    of: ({ mandateId, principalId, intent }) =>
      intent ? intents : lanes[fnv1a(mandateId ?? principalId) % lanes.length],
  };
}

/** For batches of one proposal, which do not benefit from waiting. */
const unpaced = { begin: async () => {} };

/** The differences between the two kinds of lanes. */
interface LaneKind {
  /** Maximum number of proposals in a batch. */
  batchLimit: number;
  pace: Pick<Pace, 'begin'>;
  send: BatchParts['send'];
}

function createLane(options: LanesOptions, { send, ...kind }: LaneKind): Lane {
  const { queueLimit, now, metrics, onCommitted } = options;
  const parts = partsOf(options, send, (follower) => lane.requeue(follower));
  const lane: Lane = new Lane({
    ...kind,
    queueLimit,
    now,
    commit: async (batch) => {
      const stop = metrics.startBatch(batch.length);
      await commitBatch(batch, parts);
      stop();
      onCommitted();
    },
  });
  return lane;
}

/** Whatever becomes of a proposal, its followers are answered with it or queued again. */
function partsOf(
  { now, log, metrics }: LanesOptions,
  send: BatchParts['send'],
  requeue: (follower: Pending) => void,
): BatchParts {
  const settle = (pending: Pending, response: CommitResponse): void => {
    metrics.outcome(response.outcome);
    pending.settle(response);
  };
  const release = (follower: Pending, answer: CommitResponse | null): void => {
    if (answer) settle(follower, answer);
    else requeue(follower);
  };
  const releaseFollowers = (pending: Pending, response: CommitResponse | null): void => {
    for (const follower of pending.followers.splice(0)) {
      try {
        release(follower, response && answerToFollower(pending, response, follower));
      } catch (error) {
        // What was recorded cannot be restored: the batch is committed all the same.
        follower.fail(error);
      }
    }
  };
  return {
    now,
    send: (open) => {
      metrics.statement();
      return isTraced(open) ? sendTraced(open, send) : send(open);
    },
    settle: (pending, response) => {
      settle(pending, response);
      releaseFollowers(pending, response);
    },
    fail: (pending, error) => {
      pending.fail(error);
      releaseFollowers(pending, null);
    },
    onError: (error, batchSize) => log.warn({ err: error, batchSize }, 'batch not committed'),
  };
}
