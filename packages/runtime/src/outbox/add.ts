import type { BusEventType } from '@countersign/kernel/event';
import type { PoolClient } from '../database.js';

/** Adds events to the outbox, in the transaction of the change that they describe. */
export async function addToOutbox(
  client: PoolClient,
  events: ReadonlyArray<{ id: string; type: BusEventType }>,
): Promise<void> {
  if (events.length === 0) return;
  await client.query(
    `INSERT INTO outbox (event_id, type, payload)
     SELECT * FROM unnest($1::text[], $2::text[], $3::text[])`,
    [
      events.map((event) => event.id),
      events.map((event) => event.type),
      events.map((event) => JSON.stringify(event)),
    ],
  );
}
