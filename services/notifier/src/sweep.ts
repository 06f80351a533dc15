import { inBatches } from '@countersign/runtime/batches';
import type { Pool } from '@countersign/runtime/database';

export interface SweepOptions {
  pool: Pool;
  /** Finished deliveries are kept this long for their owner to look at. */
  deliveryDays: number;
}

/** Longer than the bus keeps a message and the ledger republishes: what comes again is known. */
const inboxDays = 15;
/** Once a challenge has expired the ledger says so; its code is of no use to anybody. */
const codeDays = 1;

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

/**
 * A deleted webhook goes after the last of its deliveries, so no statement is ever long. Plan:
 * by the index on (webhook_id, created_at, id), whose order is asked for. Where webhooks are few
 * nobody counts those that are deleted, and a join is then expected to find its rows at once when
 * it reads all deliveries of all webhooks.
 */
const deliveriesOfDeletedSql = `
DELETE FROM delivery WHERE id = ANY (ARRAY(
  SELECT d.id FROM webhook w
  CROSS JOIN LATERAL (
    SELECT id FROM delivery WHERE webhook_id = w.id
    ORDER BY created_at DESC, id DESC LIMIT $1 FOR UPDATE SKIP LOCKED) d
  WHERE w.deleted_at IS NOT NULL LIMIT $1))`;

const deletedSql = `
DELETE FROM webhook WHERE id IN (
  SELECT w.id FROM webhook w WHERE w.deleted_at IS NOT NULL
    AND NOT EXISTS (SELECT FROM delivery d WHERE d.webhook_id = w.id)
  LIMIT $1 FOR UPDATE SKIP LOCKED)`;

/** In this order: webhooks that were deleted go after the last of their deliveries. */
const statements = (deliveryDays: number) => [
  { sql: deliveriesOfDeletedSql, values: [] },
  { sql: deletedSql, values: [] },
  { sql: deliveriesSql, values: [deliveryDays] },
  { sql: inboxSql, values: [inboxDays] },
  { sql: codesSql, values: [codeDays] },
  { sql: addressesSql, values: [codeDays] },
  { sql: clientsSql, values: [codeDays] },
];

/** Removes what nobody needs any more. Returns how many rows. */
export async function sweep({ pool, deliveryDays }: SweepOptions): Promise<number> {
  let removed = 0;
  for (const { sql, values } of statements(deliveryDays)) {
    removed += await inBatches(pool, sql, { values });
  }
  return removed;
}
