import { inBatches } from './database/in-batches.js';
import type { Pool } from './database.js';
import type { Chore } from './upkeep.js';

/** A statement that deletes, or changes, at most $1 rows. */
export interface Sweep {
  sql: string;
  /** Parameters of the statement, from $2 on. */
  values?: readonly unknown[];
}

/** Repeats each statement, one after the other, until it changes none. Returns how many rows. */
export async function sweep(
  pool: Pool,
  sweeps: readonly Sweep[],
  signal?: AbortSignal,
): Promise<number> {
  let changed = 0;
  for (const { sql, values } of sweeps) changed += await inBatches(pool, sql, { values, signal });
  return changed;
}

export function sweepChore(what: string, pool: Pool, sweeps: readonly Sweep[]): Chore {
  return { what, work: (signal) => sweep(pool, sweeps, signal) };
}

/**
 * For how long after its creation an event is published again if the bus loses it. Counted from its
 * last publication, each loss would extend it, until the event outlives the memory of consumers.
 */
export const repeatableDays = 7;

/** Published events are deleted after a week, during which they can be published again. */
const sweepPublishedSql = sweepOutboxSql(`now() - interval '${repeatableDays} days'`);

/**
 * Deletes, among the first $1 rows of the outbox, those published before a time and those that are
 * published but too old to be published again: a range scan of the primary key, whatever the size
 * of the table, and index probes instead of a join, for which the planner would read a small table
 * as a whole. An unpublished row at the front delays the deletion of those behind it.
 */
export function sweepOutboxSql(before: string): string {
  return `
  DELETE FROM outbox WHERE seq = ANY (ARRAY(
    SELECT o.seq FROM (
      SELECT seq, created_at, published_at FROM outbox ORDER BY seq LIMIT $1
    ) o
    WHERE (coalesce(o.published_at, o.created_at) < ${before}
        OR o.created_at < now() - interval '${repeatableDays} days')
      AND NOT EXISTS (SELECT FROM unpublished u WHERE u.seq = o.seq)))`;
}

/**
 * For how long received events are known, so that repeats are recognised: `repeatableDays`, a day
 * in which what is put back into the queue is published, and the week for which the bus keeps it.
 */
const inboxDays = 15;

/**
 * Deletes at most $1 rows that are older than $2 days, oldest first; needs an index on the time.
 * Whatever the statistics say, rows are found in index order and deleted by their ctid: a join
 * would read all of a table that has not been analyzed yet. Replicas skip the rows that another one
 * has locked.
 */
export function sweepOlderSql(table: string, time: string): string {
  return `
  DELETE FROM ${table} WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM ${table} WHERE ${time} < now() - $2::int * interval '1 day'
    ORDER BY ${time} LIMIT $1 FOR UPDATE SKIP LOCKED))`;
}

/** Expired ids of received events; needs an index on `inbox (received_at)`. */
export const inboxSweep: Sweep = {
  sql: sweepOlderSql('inbox', 'received_at'),
  values: [inboxDays],
};

/** Expired events. */
export const eventSweeps: readonly Sweep[] = [{ sql: sweepPublishedSql }, inboxSweep];

export const eventChore = (pool: Pool): Chore =>
  sweepChore('forgot events past their time', pool, eventSweeps);
