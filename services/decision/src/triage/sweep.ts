import type { Pool } from '@countersign/runtime/database';
import type { Logger } from '@countersign/runtime/log';

export interface TriageSweepOptions {
  pool: Pool;
  log: Logger;
  /** Cases and patterns are kept this long. */
  caseDays: number;
  everyMs?: number;
}

/** What was seen counts for a day, and an agent is left in peace for one. */
const watchDays = 2;
/** Longer than the bus keeps the decision that a report may have overtaken. */
const reportDays = 8;
const rowsAtOnce = 1_000;
/** One pass takes no more than this, so that it cannot run into the next. */
const batchesAPass = 50;
const usuallyMs = 60_000;

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

/** Deletes what is past its time, a bounded number of rows at a time. */
async function sweep({ pool, caseDays }: TriageSweepOptions): Promise<void> {
  await inBatches(pool, statements.watches, watchDays);
  await inBatches(pool, statements.reports, reportDays);
  await inBatches(pool, statements.cases, caseDays);
  await inBatches(pool, statements.patterns, caseDays);
}

async function inBatches(pool: Pool, sql: string, days: number): Promise<void> {
  for (let batch = 0; batch < batchesAPass; batch += 1) {
    const { rowCount } = await pool.query(sql, [rowsAtOnce, days]);
    if ((rowCount ?? 0) < rowsAtOnce) return;
  }
}

/** Sweeps now and every minute until it is stopped; stopping waits for the pass under way. */
export function startTriageSweep(options: TriageSweepOptions): { stop(): Promise<void> } {
  let pass: Promise<unknown> = Promise.resolve();
  const run = (): void => {
    pass = sweep(options).catch((error: unknown) => {
      options.log.warn({ err: error }, 'old fraud cases could not be swept');
    });
  };
  run();
  const timer = setInterval(run, options.everyMs ?? usuallyMs);
  return {
    stop: async () => {
      clearInterval(timer);
      await pass;
    },
  };
}
