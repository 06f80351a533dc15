import type { Sweep } from '@countersign/runtime/retention';
import { sweepNoncesSql, sweepPublishedSql } from './sql.js';

/** Published events after their retention. */
export function outboxSweeps(retentionHours: number): Sweep[] {
  return [{ sql: sweepPublishedSql, values: [retentionHours] }];
}

/** Nonces of expired presentations. */
export const nonceSweeps: readonly Sweep[] = [{ sql: sweepNoncesSql }];
