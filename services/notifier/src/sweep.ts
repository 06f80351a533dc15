import type { Pool } from '@countersign/runtime/database';
import type { Logger } from '@countersign/runtime/log';

export interface SweepOptions {
  pool: Pool;
  log: Logger;
  /** Finished deliveries are kept this long for their owner to look at. */
  deliveryDays: number;
}

/** Longer than the bus keeps a message and the ledger republishes: what comes again is known. */
const inboxDays = 15;
/** Once a challenge has expired the ledger says so; its code is of no use to anybody. */
const codeDays = 1;
const batchSize = 1_000;
const batchesPerSweep = 50;

const deliveriesSql = `
DELETE FROM delivery WHERE id IN (
  SELECT id FROM delivery WHERE finished_at < now() - $2::int * interval '1 day'
  LIMIT $1 FOR UPDATE SKIP LOCKED)`;

const inboxSql = `
DELETE FROM inbox WHERE event_id IN (
  SELECT event_id FROM inbox WHERE received_at < now() - $2::int * interval '1 day'
  LIMIT $1 FOR UPDATE SKIP LOCKED)`;

const codesSql = `
DELETE FROM one_time_code WHERE authorization_id IN (
  SELECT authorization_id FROM one_time_code
  WHERE expires_at < now() - $2::int * interval '1 day'
  LIMIT $1 FOR UPDATE SKIP LOCKED)`;

/** What was sent counts for a day at most. */
const addressesSql = `
DELETE FROM code_address WHERE address IN (
  SELECT address FROM code_address WHERE last_at < now() - $2::int * interval '1 day'
  LIMIT $1 FOR UPDATE SKIP LOCKED)`;

const clientsSql = `
DELETE FROM code_client WHERE client_id IN (
  SELECT client_id FROM code_client WHERE since < now() - $2::int * interval '1 day'
  LIMIT $1 FOR UPDATE SKIP LOCKED)`;

/** A deleted webhook goes after the last of its deliveries, so that no statement is ever long. */
const deliveriesOfDeletedSql = `
DELETE FROM delivery WHERE id IN (
  SELECT d.id FROM webhook w JOIN delivery d ON d.webhook_id = w.id
  WHERE w.deleted_at IS NOT NULL LIMIT $1 FOR UPDATE OF d SKIP LOCKED)`;

const deletedSql = `
DELETE FROM webhook WHERE id IN (
  SELECT w.id FROM webhook w WHERE w.deleted_at IS NOT NULL
    AND NOT EXISTS (SELECT FROM delivery d WHERE d.webhook_id = w.id)
  LIMIT $1 FOR UPDATE SKIP LOCKED)`;

/** Removes what nobody needs any more, a bounded number of rows at a time; returns how many. */
export async function sweep({ pool, deliveryDays }: SweepOptions): Promise<number> {
  const ofDeleted = await inBatches(pool, deliveriesOfDeletedSql, []);
  const deleted = await inBatches(pool, deletedSql, []);
  const old = await inBatches(pool, deliveriesSql, [deliveryDays]);
  const known = await inBatches(pool, inboxSql, [inboxDays]);
  const codes = await inBatches(pool, codesSql, [codeDays]);
  const addresses = await inBatches(pool, addressesSql, [codeDays]);
  const clients = await inBatches(pool, clientsSql, [codeDays]);
  return ofDeleted + deleted + old + known + codes + addresses + clients;
}

async function inBatches(pool: Pool, sql: string, rest: unknown[]): Promise<number> {
  let removed = 0;
  for (let batch = 0; batch < batchesPerSweep; batch += 1) {
    const { rowCount } = await pool.query(sql, [batchSize, ...rest]);
    removed += rowCount ?? 0;
    if ((rowCount ?? 0) < batchSize) break;
  }
  return removed;
}

export interface Sweeper {
  stop(): Promise<void>;
}

export function startSweeper(options: SweepOptions, everyMs: number): Sweeper {
  let running: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    running = running.then(() =>
      sweep(options).then(
        (removed) => options.log.debug({ removed }, 'swept'),
        (error: unknown) => options.log.warn({ err: error }, 'sweep failed; the next one goes on'),
      ),
    );
  }, everyMs);
  return {
    stop: () => {
      clearInterval(timer);
      return running;
    },
  };
}
