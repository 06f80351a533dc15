import type { Pool } from './database.js';

export interface Batches {
  /** Of the statement, from $2 on. */
  values?: readonly unknown[];
  atMost?: number;
}

const rowsAtOnce = 1_000;
/** One pass takes no more than this, however much there is: the next one goes on. */
const batchesAPass = 100;

/**
 * Repeats a statement that changes $1 rows at most until it finds none: no statement is ever long,
 * and none holds many locks. Returns how many rows there were.
 */
export async function inBatches(
  pool: Pool,
  sql: string,
  { values = [], atMost = batchesAPass }: Batches = {},
): Promise<number> {
  let changed = 0;
  for (let batch = 0; batch < atMost; batch += 1) {
    const { rowCount } = await pool.query(sql, [rowsAtOnce, ...values]);
    if (!rowCount) break;
    changed += rowCount;
  }
  return changed;
}
