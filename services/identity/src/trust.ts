import type { BusEvent } from '@countersign/kernel/event';
import type { PoolClient } from '@countersign/runtime/database';
import { once } from '@countersign/runtime/inbox';
import { addToOutbox } from '@countersign/runtime/outbox';
import { agentChange, changeEvent } from './change.js';
import type { Context } from './context.js';
import { applyTrustChange, putPendingFences } from './sql.js';
import { trustLevels } from './vocabulary.js';

interface ChangedAgent {
  clientId: string;
  principalId: string;
  version: number;
  levelChanged: boolean;
}

/**
 * Keeps the agent's trust level and score as the decision service tells them. A new level is a new
 * version of the agent: it is announced, and the loop hands the fence to the ledger; nobody waits
 * for an answer here.
 */
export async function onTrustChanged(context: Context, event: BusEvent): Promise<void> {
  if (!isTrustChange(event)) return;
  const { environment } = event;
  const { pool } = context.stores[environment];
  const applied = await once(pool, event, (client) => apply(client, event));
  if (applied) context.relays[environment].wake();
}

function isTrustChange(event: BusEvent): event is BusEvent<'trust.changed'> {
  return event.type === 'trust.changed';
}

async function apply(client: PoolClient, event: BusEvent<'trust.changed'>): Promise<void> {
  const { agentId, newTrustLevel, kyaScore } = event.data;
  if (!trustLevels.some((level) => level === newTrustLevel)) {
    throw new Error(`no such trust level: ${newTrustLevel}`);
  }
  // Events may overtake each other: one from before the last that was applied is not news.
  const { rows } = await client.query<ChangedAgent>(applyTrustChange, [
    agentId,
    newTrustLevel,
    kyaScore,
    event.occurredAt,
  ]);
  const [agent] = rows;
  if (!agent?.levelChanged) return;
  await client.query(putPendingFences, [[agentId], [agent.version]]);
  const { environment, requestId } = event;
  const cause = { environment, requestId, nowMs: Date.parse(event.occurredAt) };
  await addToOutbox(client, [changeEvent(agentChange({ id: agentId, ...agent }), cause)]);
}
