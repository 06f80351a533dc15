import type { Clock } from '@countersign/kernel/clock';
import type { Pool } from '@countersign/runtime/database';
import { inBatches } from '@countersign/runtime/sharing/batches';
import { sweepNoncesSql, sweepPublishedSql } from './sql.js';

export interface SweepOptions {
  pool: Pool;
  clock: Clock;
  retentionHours: number;
  /** No further batch is started after an abort. */
  signal?: AbortSignal;
}

const hourMs = 3_600_000;

/** Deletes published events after their retention. Returns their number. */
export async function sweepOutbox(options: SweepOptions): Promise<number> {
  const { pool, clock, retentionHours, signal } = options;
  const before = new Date(clock() - retentionHours * hourMs);
  return inBatches(pool, sweepPublishedSql, { values: [before], signal });
}

/**
 * Clocks differ: a presentation that has expired here may still be accepted by another process.
 */
const nonceMarginMs = 300_000;

/** Deletes nonces of expired presentations. Returns their number. */
export async function sweepNonces({
  pool,
  clock,
  signal,
}: Omit<SweepOptions, 'retentionHours'>): Promise<number> {
  const before = new Date(clock() - nonceMarginMs);
  return inBatches(pool, sweepNoncesSql, { values: [before], signal });
}
