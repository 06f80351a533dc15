import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from '../database.js';

interface Batches {
  /** Parameters of the statement, from $2 on. */
  values?: readonly unknown[];
  /** Starts no further statement once it is aborted. */
  signal?: AbortSignal;
  /** Starts no further statement after this time; the next pass continues. */
  longestMs?: number;
}

const rowsAtOnce = 1_000;
/**
 * Half the interval between passes, so that one kind of rows does not delay all others for long.
 */
const usuallyLongestMs = 30_000;

/**
 * Repeats a statement that changes at most $1 rows until it changes none, so that no statement runs
 * long or holds many locks. Between two statements it pauses for as long as the last one took, so
 * that clean-up uses at most half of a connection; that is still some ten thousand rows per second,
 * more than are added. Returns the number of rows.
 */
export async function inBatches(
  pool: Pool,
  sql: string,
  { values = [], signal, longestMs = usuallyLongestMs }: Batches = {},
): Promise<number> {
  const began = performance.now();
  let changed = 0;
  while (!signal?.aborted) {
    const asked = performance.now();
    const { rowCount } = await pool.query(sql, [rowsAtOnce, ...values]);
    if (!rowCount) break;
    changed += rowCount;
    const now = performance.now();
    if (now - began >= longestMs) break;
    // Rejects when a stop ends the pause, which the condition of the loop then sees.
    await pause(now - asked, undefined, { signal }).catch(() => {});
  }
  return changed;
}
