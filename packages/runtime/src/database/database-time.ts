import type { Pool } from '../database.js';

/** The one clock that all replicas of a service share; their own differ. */
export async function databaseTime(pool: Pool): Promise<Date> {
  const { rows } = await pool.query<{ now: Date }>('SELECT now() AS now');
  const [row] = rows;
  if (!row) throw new Error('the database returned no time');
  return row.now;
}
