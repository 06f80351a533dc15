import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from './database.js';

export interface Batches {
  /** Parameters of the statement, from $2 on. */
  values?: readonly unknown[];
  /** Begins no further statement once it is aborted. */
  signal?: AbortSignal;
  /** Nor after this time, however much there is: the next pass goes on. */
  longestMs?: number;
}

const rowsAtOnce = 1_000;
/** Half of a pass, so that one kind of rows does not keep all others from their turn for long. */
const usuallyLongestMs = 30_000;

/**
 * Repeats a statement that changes $1 rows at most until it finds none: no statement is ever long,
 * and none holds many locks. Between two it rests for as long as the last one took, so that at most
 * half a connection is spent on what is past while others do what is new; that is some ten thousand
 * rows a second, more than come. Returns how many rows there were.
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
    await pause(now - asked);
  }
  return changed;
}
