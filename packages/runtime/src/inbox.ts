import type { BusEvent } from '@countersign/kernel/event';
import { inTransaction, type Pool, type PoolClient } from './database.js';

/**
 * Runs the effect of an event exactly once: its id and the effect are committed together, so a
 * message that is delivered again, even after a confirmed acknowledgement, finds its id and stops.
 * Needs the table `inbox (event_id text primary key, received_at timestamptz default now())`.
 */
export function once(
  pool: Pool,
  event: BusEvent,
  effect: (client: PoolClient) => Promise<void>,
): Promise<boolean> {
  return inTransaction(pool, async (client) => {
    const { rowCount } = await client.query(
      'INSERT INTO inbox (event_id) VALUES ($1) ON CONFLICT DO NOTHING',
      [event.id],
    );
    if (rowCount === 0) return false;
    await effect(client);
    return true;
  });
}
