import type { Clock } from '@countersign/kernel/clock';
import type { Pool } from '@countersign/runtime/database';
import { sweepNoncesSql, sweepPublishedSql } from './sql.js';

export interface SweepOptions {
  pool: Pool;
  clock: Clock;
  retentionHours: number;
}

const rowsAtOnce = 1_000;
/** One pass takes no more than this, so that it cannot run into the next. */
const batchesAPass = 200;
const hourMs = 3_600_000;

/** Deletes published events past their retention, a bounded batch at a time. Returns how many. */
export async function sweepOutbox({ pool, clock, retentionHours }: SweepOptions): Promise<number> {
  const before = new Date(clock() - retentionHours * hourMs);
  let deleted = 0;
  for (let batch = 0; batch < batchesAPass; batch += 1) {
    const { rowCount } = await pool.query(sweepPublishedSql, [rowsAtOnce, before]);
    deleted += rowCount ?? 0;
    if (!rowCount) break;
  }
  return deleted;
}

/** Clocks differ: what has expired by this one can still be presented elsewhere for a while. */
const nonceMarginMs = 300_000;

/** Deletes presentations that nobody can present any more. Returns how many. */
export async function sweepNonces({
  pool,
  clock,
}: Pick<SweepOptions, 'pool' | 'clock'>): Promise<number> {
  const before = new Date(clock() - nonceMarginMs);
  let deleted = 0;
  for (let batch = 0; batch < batchesAPass; batch += 1) {
    const { rowCount } = await pool.query(sweepNoncesSql, [before, rowsAtOnce]);
    deleted += rowCount ?? 0;
    if ((rowCount ?? 0) < rowsAtOnce) break;
  }
  return deleted;
}
