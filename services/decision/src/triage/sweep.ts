import type { Pool } from '@countersign/runtime/database';
import { inBatches } from '@countersign/runtime/database/in-batches';
import { sweepOlderSql } from '@countersign/runtime/retention';

export interface TriageSweepOptions {
  pool: Pool;
  /** Cases and patterns are kept this long. */
  caseDays: number;
  /** Nothing more is begun once it is aborted. */
  signal?: AbortSignal;
}

/** Sightings count for a day, and the cooldown after a suspicion lasts one. */
const watchDays = 2;
/** Longer than the bus retains events: a report may arrive before its decision. */
const reportDays = 8;

/** $1 rows at most, $2 days. Each reads the oldest rows of an index. */
const statements = {
  watches: sweepOlderSql('agent_watch', 'updated_at'),
  reports: sweepOlderSql('fraud_verdict', 'heard_at'),
  cases: sweepOlderSql('fraud_case', 'created_at'),
  patterns: sweepOlderSql('fraud_pattern', 'created_at'),
};

/** Deletes rows past their retention. Returns how many. */
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
