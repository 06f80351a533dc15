import type { Environment } from '@countersign/kernel/environment';
import type { BusEvent } from '@countersign/kernel/event';
import { trustLevels } from '@countersign/kernel/trust';
import type { PoolClient } from '@countersign/runtime/database';
import { inGroups } from '@countersign/runtime/groups';
import { onceEach } from '@countersign/runtime/inbox';
import { addToOutbox } from '@countersign/runtime/outbox';
import { agentChange, changeEvent } from './change.js';
import type { Context } from './context.js';
import { applyTrustLevel, putPendingFences } from './sql.js';

export type TrustEvent = BusEvent<'trust.changed'>;

const maxGroup = 256;

/**
 * Keeps the agents' trust levels as the decision service tells them. A level is a new version of
 * the agent: it is announced, and the loop hands its fence to the ledger.
 */
export function trustConsumer(
  context: Context,
  environment: Environment,
): (event: BusEvent) => Promise<void> {
  const { pool } = context.stores[environment];
  const handle = inGroups<TrustEvent>({ maxGroup }, async (events) => {
    let levels = 0;
    await onceEach(pool, events, async (client, fresh) => {
      levels = await applyEvents(client, fresh);
    });
    if (levels > 0) context.relays[environment].wake();
  });
  return (event) => handle(event as TrustEvent);
}

/** Returns how many levels changed. */
async function applyEvents(client: PoolClient, events: TrustEvent[]): Promise<number> {
  let changed = 0;
  for (const event of events) {
    if (await writeLevel(client, event)) changed += 1;
  }
  return changed;
}

/**
 * Only a step from one level to another is a change of level: an event that merely repeats the
 * level its teller had seen must not undo a promotion that was made meanwhile.
 */
async function writeLevel(client: PoolClient, event: TrustEvent): Promise<boolean> {
  const { agentId, previousTrustLevel, newTrustLevel } = event.data;
  if (previousTrustLevel === newTrustLevel) return false;
  if (!trustLevels.some((level) => level === newTrustLevel)) {
    throw new Error(`no such trust level: ${newTrustLevel}`);
  }
  const values = [agentId, newTrustLevel, event.occurredAt, event.clientId];
  const { rows } = await client.query(applyTrustLevel, values);
  const [agent] = rows;
  if (!agent?.isNews) return false;
  await client.query(putPendingFences, [[agentId], [agent.version], [false]]);
  const { environment, requestId, occurredAt } = event;
  const cause = { environment, requestId, nowMs: Date.parse(occurredAt) };
  await addToOutbox(client, [changeEvent(agentChange(agent), cause)]);
  return true;
}
