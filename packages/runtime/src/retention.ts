import { inBatches } from './batches.js';
import type { Pool } from './database.js';
import type { Chore } from './upkeep.js';

/**
 * Events are forgotten once nobody can need them: published ones after the week in which they can
 * be published again, received ones a week after that, when the bus has forgotten those too.
 * Needs an index on `inbox (received_at)`.
 */
const sweepOutbox = sweepOutboxSql("now() - interval '7 days'");

/**
 * Deletes of the first rows of the outbox ($1) what was published before a time: a range of the
 * primary key whatever the size of the table. What waits at the front keeps what is behind it.
 */
export function sweepOutboxSql(before: string): string {
  return `
  WITH oldest AS (SELECT seq FROM outbox ORDER BY seq LIMIT $1)
  DELETE FROM outbox o USING oldest
  WHERE o.seq = oldest.seq AND coalesce(o.published_at, o.created_at) < ${before}
    AND NOT EXISTS (SELECT FROM unpublished u WHERE u.seq = o.seq)`;
}

const sweepInbox = `
  DELETE FROM inbox WHERE event_id IN (
    SELECT event_id FROM inbox WHERE received_at < now() - interval '15 days'
    ORDER BY received_at LIMIT $1)`;

/** Deletes what is past its time. Returns how many rows. */
export async function sweepEvents(pool: Pool): Promise<number> {
  return (await inBatches(pool, sweepOutbox)) + (await inBatches(pool, sweepInbox));
}

export function eventChore(pool: Pool): Chore {
  return { what: 'forgot events past their time', work: () => sweepEvents(pool) };
}
