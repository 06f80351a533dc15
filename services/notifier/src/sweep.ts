import { inboxSweep, type Sweep, sweepOlderSql } from '@countersign/runtime/retention';

/** The ledger reports the expiry of a challenge; its code is of no use after that. */
const codeDays = 1;

const deliveriesSql = sweepOlderSql('delivery', 'finished_at');
const codesSql = sweepOlderSql('one_time_code', 'expires_at');
/** Sent codes count for at most a day. */
const addressesSql = sweepOlderSql('code_address', 'last_at');
const clientsSql = sweepOlderSql('code_client', 'since');

/**
 * A deleted webhook is removed after the last of its deliveries, so that no statement runs long.
 *
 * Plan: by the index on (webhook_id, created_at, id), enforced by the requested order. For small
 * webhook tables there are no statistics on deleted ones, and the planner would then expect a join
 * to find its rows early, although it reads all deliveries of all webhooks.
 */
const deliveriesOfDeletedSql = `
DELETE FROM delivery WHERE id = ANY (ARRAY(
  SELECT d.id FROM webhook w
  CROSS JOIN LATERAL (
    SELECT id FROM delivery WHERE webhook_id = w.id
    ORDER BY created_at DESC, id DESC LIMIT $1 FOR UPDATE SKIP LOCKED) d
  WHERE w.deleted_at IS NOT NULL LIMIT $1))`;

const deletedSql = `
DELETE FROM webhook WHERE id = ANY (ARRAY(
  SELECT w.id FROM webhook w WHERE w.deleted_at IS NOT NULL
    AND (SELECT d.id FROM delivery d WHERE d.webhook_id = w.id
      ORDER BY d.created_at DESC, d.id DESC LIMIT 1) IS NULL
  LIMIT $1 FOR UPDATE SKIP LOCKED))`;

/**
 * Expired rows, in this order, because deleted webhooks are removed after the last of their
 * deliveries. Finished deliveries are kept for `deliveryDays`, for inspection by their owner.
 */
export const sweeps = (deliveryDays: number): Sweep[] => [
  inboxSweep,
  { sql: deliveriesOfDeletedSql },
  { sql: deletedSql },
  { sql: deliveriesSql, values: [deliveryDays] },
  { sql: codesSql, values: [codeDays] },
  { sql: addressesSql, values: [codeDays] },
  { sql: clientsSql, values: [codeDays] },
];
