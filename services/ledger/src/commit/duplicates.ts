import type { CommitResponse } from '@countersign/proto/ledger';
import { unavailable } from '../failure.js';
import { isOnRecord, outcomeOnly, type Pending } from './pending.js';

export interface Taken {
  batch: Pending[];
  /** How many were taken off the front of the queue: batch, followers and the expired. */
  count: number;
}

/**
 * Takes the next batch off the front of a queue. Of several proposals with one id or one key only
 * the first is sent, and the others become its followers, so that no batch conflicts with itself.
 * Proposals past their deadline fail without being sent.
 */
export function takeBatch(waiting: readonly Pending[], most: number, now: number): Taken {
  const batch: Pending[] = [];
  const leaders = new Map<string, Pending>();
  let count = 0;
  for (const pending of waiting) {
    if (pending.deadlineAt <= now) {
      pending.fail(unavailable('the deadline passed in the queue'));
    } else {
      const names = namesOf(pending);
      const leader = names.map((name) => leaders.get(name)).find((found) => found !== undefined);
      if (!leader && batch.length === most) break;
      if (leader) leader.followers.push(pending);
      else batch.push(pending);
      for (const name of names) leaders.set(name, leader ?? pending);
    }
    count += 1;
  }
  return { batch, count };
}

/** Scoped to the Principal: one Principal's answer must never be given to another. */
function namesOf({ proposal }: Pending): string[] {
  const { principalId, authorizationId, idempotencyKey } = proposal;
  const byId = `${principalId} id ${authorizationId}`;
  return idempotencyKey === null ? [byId] : [byId, `${principalId} key ${idempotencyKey}`];
}

/** The answer to a follower, by that to its leader; null where the leader was not recorded. */
export function answerToFollower(
  leader: Pending,
  response: CommitResponse,
  follower: Pending,
): CommitResponse | null {
  if (!isOnRecord(response)) return null;
  if (follower.proposal.bodyHash === leader.proposal.bodyHash) {
    return { ...response, outcome: 'replayed' };
  }
  return outcomeOnly('key_reused');
}
