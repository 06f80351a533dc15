import type { CommitResponse } from '@countersign/proto/ledger';
import { databaseFault, failureOf, unavailable, unknownAnswer } from '../failure.js';
import type { Pending } from './pending.js';

export interface BatchParts {
  /** Sends a batch once. Null for proposals that were not processed because others were stale. */
  send: (batch: readonly Pending[]) => Promise<Array<CommitResponse | null>>;
  settle: (pending: Pending, response: CommitResponse) => void;
  fail: (pending: Pending, error: unknown) => void;
  now: () => number;
  onError: (error: unknown, batchSize: number) => void;
}

const attempts = 3;
const pauseMs = 20;

interface Progress {
  failures: number;
  /** A connection broke after the batch was sent, so the batch may have been committed. */
  sent: boolean;
}

/**
 * Commits a batch and settles every proposal in it. It is sent again if it conflicted with another
 * transaction or the connection broke; proposals that were committed are then replayed by their
 * id. If the database rejects it, it is bisected, so that only the invalid proposal fails. `sent`
 * if it is a part of a batch that may have been committed as a whole.
 */
export async function commitBatch(
  batch: readonly Pending[],
  parts: BatchParts,
  sent = false,
): Promise<void> {
  const progress: Progress = { failures: 0, sent };
  let open = dropExpired(batch, parts, progress);
  while (open.length > 0) {
    try {
      open = settleAnswered(open, await parts.send(open), parts);
    } catch (error) {
      parts.onError(error, open.length);
      open = await recover(open, parts, { error, progress });
    }
    open = dropExpired(open, parts, progress);
  }
}

/** Returns the proposals to be sent again; all others have been settled. */
async function recover(
  batch: readonly Pending[],
  parts: BatchParts,
  { error, progress }: { error: unknown; progress: Progress },
): Promise<readonly Pending[]> {
  const failure = failureOf(error);
  progress.failures += 1;
  progress.sent ||= failure === 'lost';
  if (progress.failures < attempts && failure !== 'refused') {
    if (failure !== 'contended') await pause(pauseMs * progress.failures);
    return batch;
  }
  if (failure === 'lost' || failure === 'unreachable') {
    failAll(batch, parts, progress.sent ? unknownAnswer(error) : unavailable(failure, error));
  } else if (batch.length === 1) {
    const isUnknown = progress.sent && failure === 'contended';
    failAll(batch, parts, isUnknown ? unknownAnswer(error) : databaseFault(error));
  } else {
    const middle = batch.length >> 1;
    await commitBatch(batch.slice(0, middle), parts, progress.sent);
    await commitBatch(batch.slice(middle), parts, progress.sent);
  }
  return [];
}

/** Returns the proposals without a response. Each call settles at least one, so the loop ends. */
function settleAnswered(
  batch: readonly Pending[],
  responses: ReadonlyArray<CommitResponse | null>,
  parts: BatchParts,
): readonly Pending[] {
  const unanswered: Pending[] = [];
  for (const [index, pending] of batch.entries()) {
    const response = responses[index];
    if (response) parts.settle(pending, response);
    else unanswered.push(pending);
  }
  if (unanswered.length === batch.length)
    throw new Error('the commit function returned no response');
  return unanswered;
}

function dropExpired(
  batch: readonly Pending[],
  parts: BatchParts,
  { sent }: Progress,
): readonly Pending[] {
  const now = parts.now();
  return batch.filter((pending) => {
    if (pending.deadlineAt > now) return true;
    const reason = 'the deadline passed between two attempts';
    parts.fail(pending, sent ? unknownAnswer(new Error(reason)) : unavailable(reason));
    return false;
  });
}

function failAll(batch: readonly Pending[], parts: BatchParts, error: unknown): void {
  for (const pending of batch) parts.fail(pending, error);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
