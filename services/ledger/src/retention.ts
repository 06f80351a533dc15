import type { Clock } from '@countersign/kernel/clock';
import { inBatches } from '@countersign/runtime/batches';
import type { Pool } from '@countersign/runtime/database';
import { sweepNoncesSql, sweepPublishedSql } from './sql.js';

export interface SweepOptions {
  pool: Pool;
  clock: Clock;
  retentionHours: number;
}

/** Under full load a minute publishes more than the usual hundred batches. */
const batchesAPass = 200;
const hourMs = 3_600_000;

/** Deletes published events past their retention. Returns how many. */
export async function sweepOutbox({ pool, clock, retentionHours }: SweepOptions): Promise<number> {
  const before = new Date(clock() - retentionHours * hourMs);
  return inBatches(pool, sweepPublishedSql, { values: [before], atMost: batchesAPass });
}

/** Clocks differ: what has expired by this one can still be presented elsewhere for a while. */
const nonceMarginMs = 300_000;

/** Deletes presentations that nobody can present any more. Returns how many. */
export async function sweepNonces({
  pool,
  clock,
}: Pick<SweepOptions, 'pool' | 'clock'>): Promise<number> {
  const before = new Date(clock() - nonceMarginMs);
  return inBatches(pool, sweepNoncesSql, { values: [before] });
}
