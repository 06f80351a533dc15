import type { Environment } from '@countersign/kernel/environment';
import { inTransaction, type Pool } from '@countersign/runtime/database';
import type { Logger } from '@countersign/runtime/log';
import { Loop } from '@countersign/runtime/loop';
import type { Relay } from '@countersign/runtime/outbox';
import { addToOutbox } from '@countersign/runtime/outbox/add';
import { type Change, changeEvent, mandateChange } from '../change.js';
import {
  advancePendingRevocation,
  endPendingRevocation,
  revokeAgentMandates,
  takePendingRevocation,
} from './sql.js';

/** Bounds a transaction. The agent's fence and those of so many mandates fit one message. */
export const mandatesAtOnce = 400;

const pauseMs = 1_000;

/** A mandate that was looked at; without a version it had expired and was left as it is. */
export interface MandateLookedAt {
  id: string;
  ordinal: number;
  version: number | null;
}

/** The ordinal below which mandates remain, or null if there are none. */
export function remainingBelow(mandates: readonly MandateLookedAt[]): number | null {
  return (mandates.length === mandatesAtOnce && mandates.at(-1)?.ordinal) || null;
}

/** The changes of the mandates that were revoked. */
export function mandateChanges(
  mandates: readonly MandateLookedAt[],
  agent: { id: string; clientId: string; principalId: string },
): Change[] {
  const { id: agentId, clientId, principalId } = agent;
  return mandates.flatMap(({ id, version }) =>
    version === null ? [] : mandateChange({ id, version, agentId, clientId, principalId }),
  );
}

interface PendingRevocation {
  agentId: string;
  below: number;
  requestId: string;
  revokedAt: Date;
  clientId: string;
  principalId: string;
}

interface RevocationsOptions {
  environment: Environment;
  pool: Pool;
  relay: Relay;
  log: Logger;
}

/**
 * Revokes what the revocation of an agent left: tens of thousands of mandates would exceed its
 * timeout, so that it would never succeed. The agent is stopped before, by its status and its
 * fence, so no fences of these mandates are needed.
 */
export function startRevocations({ environment, pool, relay, log }: RevocationsOptions): Loop {
  return new Loop({
    turn: async () => {
      const isFound = await revokeBatch(pool, environment);
      if (isFound) relay.wake();
      return isFound ? 0 : pauseMs;
    },
    failing: {
      ...{ log, facts: { environment } },
      failed: 'mandates of a revoked agent could not be revoked; retrying',
      over: 'mandates of revoked agents are revoked again',
    },
    retryMs: pauseMs,
  });
}

/** Returns false if no mandates are waiting, or only those that another replica revokes. */
function revokeBatch(pool: Pool, environment: Environment): Promise<boolean> {
  return inTransaction(pool, async (client) => {
    const { rows } = await client.query<PendingRevocation>(takePendingRevocation);
    const [pending] = rows;
    if (!pending) return false;
    const { agentId, requestId, revokedAt } = pending;
    const values = [agentId, revokedAt, pending.below, mandatesAtOnce];
    const { rows: mandates } = await client.query<MandateLookedAt>(revokeAgentMandates, values);
    const metadata = { environment, requestId, nowMs: revokedAt.getTime() };
    const changes = mandateChanges(mandates, { ...pending, id: agentId });
    await addToOutbox(
      client,
      changes.map((change) => changeEvent(change, metadata)),
    );
    const below = remainingBelow(mandates);
    if (below === null) await client.query(endPendingRevocation, [agentId]);
    else await client.query(advancePendingRevocation, [agentId, below]);
    return true;
  });
}
