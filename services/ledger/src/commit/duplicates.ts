import type { CommitResponse } from '@countersign/proto/ledger';
import { unavailable } from '../failure.js';
import { isOnRecord, outcomeOnly, type Pending } from './pending.js';
import { withWholeAnswer } from './whole-answer.js';

interface TakenBatch {
  batch: Pending[];
  /** The number of proposals removed from the queue: batch, followers and expired ones. */
  count: number;
}

/**
 * Takes the next batch from the front of a queue. Of several proposals with the same id or
 * idempotency key only the first is sent; the others become its followers, so that a batch does
 * not conflict with itself. Proposals past their deadline fail without being sent.
 */
export function takeBatch(waiting: readonly Pending[], limit: number, now: number): TakenBatch {
  const batch: Pending[] = [];
  const leaders = new Map<string, Pending>();
  let count = 0;
  for (const pending of waiting) {
    if (pending.deadlineAt <= now) {
      pending.fail(unavailable('the deadline passed in the queue'));
    } else {
      const names = duplicateKeys(pending);
      const leader = names.map((name) => leaders.get(name)).find((found) => found !== undefined);
      if (!leader && batch.length === limit) break;
      if (leader) leader.followers.push(pending);
      else batch.push(pending);
      for (const name of names) leaders.set(name, leader ?? pending);
    }
    count += 1;
  }
  return { batch, count };
}

/** Scoped to the Principal, as an answer must never be returned to another Principal. */
function duplicateKeys({ proposal }: Pending): string[] {
  const { principalId, authorizationId, idempotencyKey } = proposal;
  const byId = `${principalId} id ${authorizationId}`;
  return idempotencyKey === null ? [byId] : [byId, `${principalId} key ${idempotencyKey}`];
}

/** The response to a follower, given that of its leader; null if the leader was not recorded. */
export function answerToFollower(
  leader: Pending,
  response: CommitResponse,
  follower: Pending,
): CommitResponse | null {
  if (!isOnRecord(response)) return null;
  if (follower.proposal.bodyHash === leader.proposal.bodyHash) {
    return { ...withWholeAnswer(response, leader.proposal), outcome: 'replayed' };
  }
  return outcomeOnly('key_reused');
}
