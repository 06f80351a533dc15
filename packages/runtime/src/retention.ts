import { inBatches } from './batches.js';
import type { Pool } from './database.js';
import type { Chore } from './upkeep.js';

/**
 * Events are deleted once nobody can need them: published ones after a week, during which they can
 * be published again, received ones a week later, when the bus has deleted them too. Needs an index
 * on `inbox (received_at)`.
 */
const sweepOutbox = sweepOutboxSql("now() - interval '7 days'");

/**
 * Deletes of the first rows of the outbox ($1) what was published before a time: a range of the
 * primary key whatever the size of the table, and probes of it instead of a join, for which a small
 * table is read as a whole. What waits at the front keeps what is behind it.
 */
export function sweepOutboxSql(before: string): string {
  return `
  DELETE FROM outbox WHERE seq = ANY (ARRAY(
    SELECT o.seq FROM (
      SELECT seq, created_at, published_at FROM outbox ORDER BY seq LIMIT $1
    ) o
    WHERE coalesce(o.published_at, o.created_at) < ${before}
      AND NOT EXISTS (SELECT FROM unpublished u WHERE u.seq = o.seq)))`;
}

/** Longer than the bus keeps a message and the outbox publishes it again: what comes is known. */
const inboxDays = 15;

/**
 * Deletes $1 rows at most of those whose time is $2 days ago, the oldest first; there must be an
 * index on it. Whatever the statistics say, the order is that of the index, and what it finds is
 * deleted by its place: a join would go through all of a table that nobody has analyzed yet. Two
 * replicas pass over what the other has in hand.
 */
export function sweepOlderSql(table: string, time: string): string {
  return `
  DELETE FROM ${table} WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM ${table} WHERE ${time} < now() - $2::int * interval '1 day'
    ORDER BY ${time} LIMIT $1 FOR UPDATE SKIP LOCKED))`;
}

const sweepInboxSql = sweepOlderSql('inbox', 'received_at');

/** Forgets received events past their time. Returns how many. */
export function sweepInbox(pool: Pool, signal?: AbortSignal): Promise<number> {
  return inBatches(pool, sweepInboxSql, { values: [inboxDays], signal });
}

/** Deletes what is past its time. Returns how many rows. */
export async function sweepEvents(pool: Pool, signal?: AbortSignal): Promise<number> {
  const published = await inBatches(pool, sweepOutbox, { signal });
  return published + (await sweepInbox(pool, signal));
}

export function eventChore(pool: Pool): Chore {
  return { what: 'forgot events past their time', work: (signal) => sweepEvents(pool, signal) };
}
