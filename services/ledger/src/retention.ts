import type { Pool } from '@countersign/runtime/database';
import { inBatches } from '@countersign/runtime/database/in-batches';
import { sweepNoncesSql, sweepPublishedSql } from './sql.js';

export interface SweepOptions {
  pool: Pool;
  /** No further batch is started after an abort. */
  signal?: AbortSignal;
}

/** Deletes published events after their retention. Returns their number. */
export async function sweepOutbox(
  { pool, signal }: SweepOptions,
  retentionHours: number,
): Promise<number> {
  return inBatches(pool, sweepPublishedSql, { values: [retentionHours], signal });
}

/** Deletes nonces of expired presentations. Returns their number. */
export async function sweepNonces({ pool, signal }: SweepOptions): Promise<number> {
  return inBatches(pool, sweepNoncesSql, { signal });
}
