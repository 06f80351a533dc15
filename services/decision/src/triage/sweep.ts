import { inBatches } from '@countersign/runtime/batches';
import type { Pool } from '@countersign/runtime/database';

export interface TriageSweepOptions {
  pool: Pool;
  /** Cases and patterns are kept this long. */
  caseDays: number;
}

/** What was seen counts for a day, and an agent is left in peace for one. */
const watchDays = 2;
/** Longer than the bus keeps the decision that a report may have overtaken. */
const reportDays = 8;

/** $1 rows at most, $2 days. Each reads the oldest of an index and no more than it deletes. */
const statements = {
  watches: `
    DELETE FROM agent_watch WHERE (agent_id, principal_id) IN (
      SELECT agent_id, principal_id FROM agent_watch
      WHERE updated_at < now() - $2::int * interval '1 day'
      ORDER BY updated_at LIMIT $1 FOR UPDATE SKIP LOCKED)`,
  reports: `
    DELETE FROM fraud_verdict WHERE authorization_id IN (
      SELECT authorization_id FROM fraud_verdict
      WHERE heard_at < now() - $2::int * interval '1 day'
      ORDER BY heard_at LIMIT $1 FOR UPDATE SKIP LOCKED)`,
  cases: `
    DELETE FROM fraud_case WHERE id IN (
      SELECT id FROM fraud_case WHERE created_at < now() - $2::int * interval '1 day'
      ORDER BY created_at LIMIT $1 FOR UPDATE SKIP LOCKED)`,
  patterns: `
    DELETE FROM fraud_pattern WHERE id IN (
      SELECT id FROM fraud_pattern WHERE created_at < now() - $2::int * interval '1 day'
      ORDER BY created_at LIMIT $1 FOR UPDATE SKIP LOCKED)`,
};

/** Deletes what is past its time. Returns how many rows. */
export async function sweepTriage({ pool, caseDays }: TriageSweepOptions): Promise<number> {
  const { watches, reports, cases, patterns } = statements;
  const days = [
    [watches, watchDays],
    [reports, reportDays],
    [cases, caseDays],
    [patterns, caseDays],
  ] as const;
  let deleted = 0;
  for (const [sql, kept] of days) deleted += await inBatches(pool, sql, { values: [kept] });
  return deleted;
}
