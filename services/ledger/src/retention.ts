import type { Clock } from '@countersign/kernel/clock';
import { inBatches } from '@countersign/runtime/batches';
import type { Pool } from '@countersign/runtime/database';
import { sweepNoncesSql, sweepPublishedSql } from './sql.js';

export interface SweepOptions {
  pool: Pool;
  clock: Clock;
  retentionHours: number;
  /** Nothing more is begun once it is aborted. */
  signal?: AbortSignal;
}

const hourMs = 3_600_000;

/** Deletes published events past their retention. Returns how many. */
export async function sweepOutbox(options: SweepOptions): Promise<number> {
  const { pool, clock, retentionHours, signal } = options;
  const before = new Date(clock() - retentionHours * hourMs);
  return inBatches(pool, sweepPublishedSql, { values: [before], signal });
}

/** Clocks differ: what has expired by this one can still be presented elsewhere for a while. */
const nonceMarginMs = 300_000;

/** Deletes presentations that nobody can present any more. Returns how many. */
export async function sweepNonces({
  pool,
  clock,
  signal,
}: Omit<SweepOptions, 'retentionHours'>): Promise<number> {
  const before = new Date(clock() - nonceMarginMs);
  return inBatches(pool, sweepNoncesSql, { values: [before], signal });
}
