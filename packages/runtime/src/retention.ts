import type { Pool } from './database.js';
import type { Logger } from './log.js';

/**
 * Events are forgotten once nobody can need them: published ones after the week in which they can
 * be published again, received ones a week after that, when the bus has forgotten those too.
 * Needs an index on `inbox (received_at)`.
 */
const sweepOutbox = sweepOutboxSql("now() - interval '7 days'");

/**
 * Deletes of the first rows of the outbox ($1) what was published before a time: a range of the
 * primary key whatever the size of the table. What waits at the front keeps what is behind it.
 */
export function sweepOutboxSql(before: string): string {
  return `
  WITH oldest AS (SELECT seq FROM outbox ORDER BY seq LIMIT $1)
  DELETE FROM outbox o USING oldest
  WHERE o.seq = oldest.seq AND coalesce(o.published_at, o.created_at) < ${before}
    AND NOT EXISTS (SELECT FROM unpublished u WHERE u.seq = o.seq)`;
}

const sweepInbox = `
  DELETE FROM inbox WHERE event_id IN (
    SELECT event_id FROM inbox WHERE received_at < now() - interval '15 days'
    ORDER BY received_at LIMIT $1)`;

const rowsAtOnce = 1_000;
/** One pass takes no more than this, so that it cannot run into the next. */
const batchesAPass = 100;
const pauseMs = 60_000;

/** Deletes what is past its time, a bounded batch at a time. Returns how many rows. */
export async function sweepEvents(pool: Pool): Promise<number> {
  let deleted = 0;
  for (const sql of [sweepOutbox, sweepInbox]) {
    for (let batch = 0; batch < batchesAPass; batch += 1) {
      const { rowCount } = await pool.query(sql, [rowsAtOnce]);
      deleted += rowCount ?? 0;
      if (!rowCount) break;
    }
  }
  return deleted;
}

/** Sweeps now and every minute until it is stopped; stopping waits for the pass under way. */
export function startRetention({ pool, log }: { pool: Pool; log: Logger }): {
  stop(): Promise<void>;
} {
  let pass: Promise<unknown> = Promise.resolve();
  const sweep = (): void => {
    pass = sweepEvents(pool).catch((error: unknown) => {
      log.warn({ err: error }, 'old events could not be swept');
    });
  };
  sweep();
  const timer = setInterval(sweep, pauseMs);
  return {
    stop: async () => {
      clearInterval(timer);
      await pass;
    },
  };
}
