import { inBatches } from '@countersign/runtime/batches';
import type { Pool } from '@countersign/runtime/database';
import { sweepOlderSql } from '@countersign/runtime/retention';

export interface TriageSweepOptions {
  pool: Pool;
  /** Cases and patterns are kept this long. */
  caseDays: number;
  /** Nothing more is begun once it is aborted. */
  signal?: AbortSignal;
}

/** What was seen counts for a day, and an agent is left in peace for one. */
const watchDays = 2;
/** Longer than the bus keeps the decision that a report may have overtaken. */
const reportDays = 8;

/** Each with an index on its time. */
const statements = {
  watches: sweepOlderSql('agent_watch', 'updated_at'),
  reports: sweepOlderSql('fraud_verdict', 'heard_at'),
  cases: sweepOlderSql('fraud_case', 'created_at'),
  patterns: sweepOlderSql('fraud_pattern', 'created_at'),
};

/** Deletes what is past its time. Returns how many rows. */
export async function sweepTriage(options: TriageSweepOptions): Promise<number> {
  const { pool, caseDays, signal } = options;
  const { watches, reports, cases, patterns } = statements;
  const days = [
    [watches, watchDays],
    [reports, reportDays],
    [cases, caseDays],
    [patterns, caseDays],
  ] as const;
  let deleted = 0;
  for (const [sql, kept] of days) {
    deleted += await inBatches(pool, sql, { values: [kept], signal });
  }
  return deleted;
}
