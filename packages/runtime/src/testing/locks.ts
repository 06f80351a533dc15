import type { Pool } from '../database.js';

/** How many sessions of this database wait for a lock, with a statement like that. */
export async function waitingForLocks(db: Pick<Pool, 'query'>, statement = '%'): Promise<number> {
  // In a transaction, all later looks would find the sessions and statements of the first one.
  await db.query('SELECT pg_stat_clear_snapshot()');
  const { rows } = await db.query<{ waiting: number }>(
    `SELECT count(*)::int AS waiting FROM pg_stat_activity
     WHERE datname = current_database() AND wait_event_type = 'Lock' AND query ILIKE $1`,
    [statement],
  );
  return rows[0]?.waiting ?? 0;
}
