import type { Environment } from '@countersign/kernel/environment';
import type { BusEvent } from '@countersign/kernel/event';
import { trustLevels } from '@countersign/kernel/trust';
import type { PoolClient } from '@countersign/runtime/database';
import { onceEach } from '@countersign/runtime/inbox';
import { addToOutbox } from '@countersign/runtime/outbox/add';
import { inGroups } from '@countersign/runtime/sharing/groups';
import { agentChange, changeEvent } from './change.js';
import type { Context } from './context.js';
import { putPendingFences } from './fence/sql.js';
import { applyTrustLevel } from './sql.js';

type TrustEvent = BusEvent<'trust.changed'>;

const maxGroup = 256;

/**
 * Applies the trust levels that the decision service publishes. A new level is a new version of
 * the agent: it is published on the bus, and the retry loop delivers its fence to the ledger.
 */
export function trustConsumer(
  context: Context,
  environment: Environment,
): (event: BusEvent) => Promise<void> {
  const { pool } = context.stores[environment];
  const handle = inGroups<TrustEvent>({ maxGroup }, async (events) => {
    let changedLevels = 0;
    await onceEach(pool, events, async (client, newEvents) => {
      changedLevels = await applyEvents(client, newEvents);
    });
    if (changedLevels > 0) context.relays[environment].wake();
  });
  return (event) => handle(event as TrustEvent);
}

/**
 * Returns the number of agents whose level changed. They are locked in the order of their ids, as
 * by other replicas and by an erasure, so that none of these waits for another in a circle.
 */
async function applyEvents(client: PoolClient, events: TrustEvent[]): Promise<number> {
  let changed = 0;
  for (const event of events.toSorted(byAgent)) {
    if (await applyLevel(client, event)) changed += 1;
  }
  return changed;
}

function byAgent({ data: one }: TrustEvent, { data: other }: TrustEvent): number {
  if (one.agentId === other.agentId) return 0;
  return one.agentId < other.agentId ? -1 : 1;
}

/**
 * Ignores events whose level did not change: the level that their sender last saw may be out of
 * date, and applying it would undo a promotion made meanwhile.
 */
async function applyLevel(client: PoolClient, event: TrustEvent): Promise<boolean> {
  const { agentId, previousTrustLevel, newTrustLevel } = event.data;
  if (previousTrustLevel === newTrustLevel) return false;
  if (!trustLevels.some((level) => level === newTrustLevel)) {
    throw new Error(`unknown trust level: ${newTrustLevel}`);
  }
  const values = [agentId, newTrustLevel, event.occurredAt, event.clientId];
  const { rows } = await client.query(applyTrustLevel, values);
  const [agent] = rows;
  if (!agent?.levelChanged) return false;
  await client.query(putPendingFences, [[agentId], [agent.version], [false]]);
  const { environment, requestId, occurredAt } = event;
  const metadata = { environment, requestId, nowMs: Date.parse(occurredAt) };
  await addToOutbox(client, [changeEvent(agentChange(agent), metadata)]);
  return true;
}
