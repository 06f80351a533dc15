/** What other transfers have settled of the same authorization, in base units. */
const settledElsewhere = `(
  SELECT coalesce(sum(other.transferred_raw), 0) FROM settlement other
  WHERE other.authorization_id = settlement.authorization_id AND other.id <> settlement.id
    AND other.status = 'SETTLED')`;

/** The columns of an open settlement; amounts as text, so that no double ever holds them. */
const openColumns = `
  id, authorization_id AS "authorizationId", trace, status, tx_hash AS "txHash", asset,
  counterparty, authorized_from AS "authorizedFrom",
  authorized_value::text AS "authorizedValue", from_address AS "fromAddress",
  to_address AS "toAddress", value_raw::text AS "valueRaw",
  required_confirmations AS "requiredConfirmations", block_number::text AS "blockNumber",
  block_hash AS "blockHash", created_at AS "createdAt", last_seen_at AS "lastSeenAt",
  now() AS "readAt", ${settledElsewhere}::text AS "settledElsewhere"`;

export const readOpenSql = `SELECT ${openColumns} FROM settlement WHERE id = $1`;

/**
 * Takes open transfers that are due, for the length of a lease: several replicas share a chain, and
 * what one that died had taken is due again after it. Plan: settlement_open_idx, as many entries as
 * are taken; an array of them, for with a join a table that nobody has analyzed is read as a whole.
 * $1 chain, $2 how many, $3 lease in ms.
 */
export const takeOpenSql = `
UPDATE settlement SET next_check_at = now() + $3::int * interval '1 millisecond'
WHERE id = ANY (ARRAY(
  SELECT id FROM settlement
  WHERE chain = $1 AND status IN ('SUBMITTED', 'PENDING') AND next_check_at <= now()
  ORDER BY next_check_at LIMIT $2 FOR UPDATE SKIP LOCKED))
RETURNING ${openColumns}, next_check_at::text AS lease`;

/**
 * Ends the lease of settlements whose check was inconclusive, unless another replica has taken or
 * checked them meanwhile. $1 ids, $2 the end of each lease as it was taken, $3 each pause in ms.
 */
export const releaseSql = `
UPDATE settlement SET next_check_at = now() + unresolved.pause * interval '1 millisecond'
FROM unnest($1::text[], $2::timestamptz[], $3::int[]) AS unresolved (id, lease, pause)
WHERE settlement.id = unresolved.id AND next_check_at = unresolved.lease
  AND status IN ('SUBMITTED', 'PENDING')`;

/** The ledger takes the latest report of what has settled, so no two are of one time. */
const afterOthers = `greatest(clock_timestamp(), (
    SELECT max(other.settled_at) + interval '1 millisecond' FROM settlement other
    WHERE other.authorization_id = settlement.authorization_id))`;

/**
 * Writes the next state if the settlement still has the state that the check began with. Final
 * states stay, and a check that was overtaken by another changes nothing: two replicas check the
 * same settlement where a slow node takes longer than the lease. Nor is anything written that would
 * settle more than was approved, whatever has settled since the check began.
 * $2 status, $3 reason, $4 confirmations, $5 block, $6 its hash, $7 moved, $8 seen, $9 pause in ms;
 * at the beginning: $10 status, $11 hash of the block, $12 when it was last seen; $13 what was
 * approved, in base units.
 */
export const stepSql = `
UPDATE settlement SET status = $2, failure_reason = $3, confirmations = $4,
  block_number = $5::bigint, block_hash = $6, transferred_raw = $7::numeric,
  last_seen_at = CASE WHEN $8::boolean THEN now() ELSE last_seen_at END,
  settled_at = CASE WHEN $2 = 'SETTLED' THEN ${afterOthers} END,
  outcome_due = ($2 = 'SETTLED'),
  next_check_at = now() + $9::int * interval '1 millisecond'
WHERE id = $1 AND status IN ('SUBMITTED', 'PENDING') AND status = $10
  AND block_hash IS NOT DISTINCT FROM $11
  AND last_seen_at IS NOT DISTINCT FROM $12::timestamptz
  AND ($2 <> 'SETTLED' OR ${settledElsewhere} + $7::numeric <= $13::numeric)`;

/** Those of authorization $1 settle one after the other, each seeing the one before it. */
export const settleAloneSql = 'SELECT pg_advisory_xact_lock(1, hashtext($1))';

/**
 * Outcomes the ledger does not have yet, each with all that had settled of its authorization by
 * then. $1 how many, $2 lease in ms.
 */
export const takeOutcomesSql = `
UPDATE settlement SET next_check_at = now() + $2::int * interval '1 millisecond'
WHERE id = ANY (ARRAY(
  SELECT id FROM settlement WHERE outcome_due AND next_check_at <= now()
  ORDER BY next_check_at LIMIT $1 FOR UPDATE SKIP LOCKED))
RETURNING id, authorization_id AS "authorizationId", client_id AS "clientId",
  principal_id AS "principalId", chain, tx_hash AS "txHash", asset, currency,
  (SELECT sum(other.transferred_raw)::text FROM settlement other
    WHERE other.authorization_id = settlement.authorization_id AND other.status = 'SETTLED'
      AND other.settled_at <= settlement.settled_at) AS "settledRaw",
  outcome_id AS "outcomeId", settled_at AS "settledAt", trace`;

export const outcomeRecordedSql = 'UPDATE settlement SET outcome_due = false WHERE id = $1';

/**
 * The highest head a chain has shown. It falls only after it has not risen for ten minutes: then
 * the chain was started anew, as development chains are. $1 chain, $2 head.
 */
export const advanceSql = `
INSERT INTO chain_cursor (chain, head_number, advanced_at) VALUES ($1, $2::bigint, now())
ON CONFLICT (chain) DO UPDATE SET
  head_number = CASE WHEN chain_cursor.advanced_at < now() - interval '10 minutes'
    THEN excluded.head_number ELSE greatest(chain_cursor.head_number, excluded.head_number) END,
  advanced_at = CASE WHEN excluded.head_number > chain_cursor.head_number
    OR chain_cursor.advanced_at < now() - interval '10 minutes'
    THEN now() ELSE chain_cursor.advanced_at END
RETURNING head_number::text AS highest`;
