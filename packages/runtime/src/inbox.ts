import type { BusEvent } from '@countersign/kernel/event';
import { inTransaction, type Pool, type PoolClient } from './database.js';

/**
 * Runs the effect of events exactly once: their ids and the effect are committed together, so an
 * event that is delivered again, even after a confirmed acknowledgement, is recognised by its id.
 * `effect` is given only the new ones, in the given order. Returns how many were new. Needs the
 * table `inbox (event_id text primary key, received_at timestamptz default now())`.
 */
export function onceEach<E extends BusEvent>(
  pool: Pool,
  events: readonly E[],
  effect: (client: PoolClient, fresh: E[]) => Promise<void>,
): Promise<number> {
  return inTransaction(pool, async (client) => {
    const fresh = await unseen(client, events);
    if (fresh.length > 0) await effect(client, fresh);
    return fresh.length;
  });
}

/** Inserts the ids of the events and returns the new events; part of a larger transaction. */
export async function unseen<E extends BusEvent>(
  client: PoolClient,
  events: readonly E[],
): Promise<E[]> {
  // Sorted, so that two replicas with the same events cannot deadlock.
  const ids = [...new Set(events.map((event) => event.id))].sort();
  const { rows } = await client.query<{ event_id: string }>(
    `INSERT INTO inbox (event_id) SELECT unnest($1::text[])
     ON CONFLICT DO NOTHING RETURNING event_id`,
    [ids],
  );
  const unknown = new Set(rows.map((row) => row.event_id));
  return events.filter((event) => unknown.delete(event.id));
}
