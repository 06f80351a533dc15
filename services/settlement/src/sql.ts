/**
 * The total of the other settled transfers of the same authorization, in base units: only an open
 * settlement asks for it, which is not among those that have settled.
 */
const settledElsewhere = `(
  SELECT coalesce(sum(other.transferred_raw), 0) FROM settlement other
  WHERE other.authorization_id = settlement.authorization_id AND other.status = 'SETTLED')`;

/** Open settlements: those whose status can still change. */
const isOpen = `(status IN ('SUBMITTED', 'PENDING') OR failure_provisional)`;

/** The columns of OpenRow. Amounts are read as text, because numbers would round them. */
const openColumns = `
  id, authorization_id AS "authorizationId", trace, status, tx_hash AS "txHash", asset,
  counterparty, authorized_from AS "authorizedFrom",
  authorized_value::text AS "authorizedValue", from_address AS "fromAddress",
  to_address AS "toAddress", value_raw::text AS "valueRaw",
  required_confirmations AS "requiredConfirmations", block_number::text AS "blockNumber",
  block_hash AS "blockHash",
  created_at AS "createdAt", last_seen_at AS "lastSeenAt",
  now() AS "readAt", ${settledElsewhere}::text AS "settledElsewhere"`;

export const readOpenSql = `SELECT ${openColumns} FROM settlement WHERE id = $1`;

/** Reported transactions that no node has known. */
const isUnseen = `status = 'SUBMITTED' AND last_seen_at IS NULL`;

/** How many a Principal has. Plan: settlement_unseen_idx alone. $1 Principal, $2 authorization. */
export const unseenSql = `
SELECT count(*)::int AS "ofPrincipal",
  count(*) FILTER (WHERE authorization_id = $2)::int AS "ofAuthorization"
FROM settlement WHERE principal_id = $1 AND ${isUnseen}`;

const isDue = `chain = $1 AND ${isOpen} AND next_check_at <= now()`;

/**
 * Leases open settlements that are due: several replicas share a chain, and those leased by a
 * crashed replica are due again when the lease ends. Three quarters are for those that a node has
 * known, since anybody can report others without end; the rest is for these, which would wait
 * behind the former otherwise. Plan: a bounded range of settlement_seen_idx and one of
 * settlement_unseen_due_idx. The ids are an array, because with a join a table without statistics
 * would be scanned. $1 chain, $2 limit, $3 lease in ms.
 */
export const leaseOpenSql = `
WITH seen AS MATERIALIZED (
  SELECT id FROM settlement WHERE ${isDue} AND last_seen_at IS NOT NULL
  ORDER BY next_check_at LIMIT $2::int - $2::int / 4 FOR UPDATE SKIP LOCKED),
unseen AS MATERIALIZED (
  SELECT id FROM settlement WHERE ${isDue} AND last_seen_at IS NULL
  ORDER BY next_check_at LIMIT $2::int - (SELECT count(*) FROM seen) FOR UPDATE SKIP LOCKED)
UPDATE settlement SET next_check_at = now() + $3::int * interval '1 millisecond'
WHERE id = ANY (ARRAY(SELECT id FROM seen UNION ALL SELECT id FROM unseen))
RETURNING ${openColumns}, next_check_at::text AS lease`;

/**
 * Releases settlements whose check was inconclusive, unless another replica has leased or checked
 * them meanwhile, after which they are due at another time. Arrays: $1 ids, $2 end of each lease as
 * returned, $3 pause before each next check in ms.
 */
export const releaseLeasesSql = `
UPDATE settlement SET next_check_at = now() + unresolved.pause * interval '1 millisecond'
FROM unnest($1::text[], $2::timestamptz[], $3::int[]) AS unresolved (id, lease, pause)
WHERE settlement.id = unresolved.id AND next_check_at = unresolved.lease`;

/** The ledger keeps the outcome with the latest time, so these times must be distinct. */
const nextSettledAt = `greatest(clock_timestamp(), (
    SELECT max(other.settled_at) + interval '1 millisecond' FROM settlement other
    WHERE other.authorization_id = settlement.authorization_id))`;

/**
 * Writes the next state if the settlement still has the state in which the check began: if a slow
 * node takes longer than the lease, two replicas check the same settlement, and the later result
 * is discarded. Final states never change. SETTLED is not written if the total would exceed the
 * approved value, including transfers that settled since the check began. $1 id, $2 status, $3
 * failure reason, $4 whether the failure is provisional, $5 confirmations, $6 block number, $7
 * block hash, $8 transferred value, $9 whether the transaction was seen, $10 pause in ms; when the
 * check began: $11 status, $12 block hash, $13 last seen at; $14 approved value. Values are in base
 * units.
 */
export const transitionSql = `
UPDATE settlement SET status = $2, failure_reason = $3, failure_provisional = $4::boolean,
  confirmations = $5, block_number = $6::bigint, block_hash = $7, transferred_raw = $8::numeric,
  last_seen_at = CASE WHEN $9::boolean THEN now() ELSE last_seen_at END,
  settled_at = CASE WHEN $2 = 'SETTLED' THEN ${nextSettledAt} END,
  outcome_due = ($2 = 'SETTLED'),
  next_check_at = now() + $10::int * interval '1 millisecond'
WHERE id = $1 AND ${isOpen} AND status = $11
  AND block_hash IS NOT DISTINCT FROM $12
  AND last_seen_at IS NOT DISTINCT FROM $13::timestamptz
  AND ($2 <> 'SETTLED' OR ${settledElsewhere} + $8::numeric <= $14::numeric)`;

/** Status of the settlement that claims the transaction of settlement $1 for itself. */
export const claimSql = `
SELECT claim.status FROM settlement claim JOIN settlement USING (chain, tx_hash)
WHERE settlement.id = $1 AND claim.status <> 'FAILED'`;

/** Serializes the settlements of authorization $1, so that each sees the total before it. */
export const lockAuthorizationSql = 'SELECT pg_advisory_xact_lock(1, hashtext($1))';

/**
 * Leases outcomes that the ledger does not have yet, each with the total settled of its
 * authorization up to then. $1 limit, $2 lease in ms.
 */
export const leaseOutcomesSql = `
UPDATE settlement SET next_check_at = now() + $2::int * interval '1 millisecond'
WHERE id = ANY (ARRAY(
  SELECT id FROM settlement WHERE outcome_due AND next_check_at <= now()
  ORDER BY next_check_at LIMIT $1 FOR UPDATE SKIP LOCKED))
RETURNING id, authorization_id AS "authorizationId", client_id AS "clientId",
  principal_id AS "principalId", chain, tx_hash AS "txHash", asset, currency,
  (SELECT sum(other.transferred_raw)::text FROM settlement other
    WHERE other.authorization_id = settlement.authorization_id
      AND other.settled_at <= settlement.settled_at) AS "settledRaw",
  outcome_id AS "outcomeId", settled_at AS "settledAt", trace`;

/**
 * $1 an outcome whose report failed, or null; $2 those of its batch that were not sent. These are
 * due at once; the failed one is due the later, the older it is, so that however many always fail,
 * the others are not kept waiting by them.
 */
export const releaseOutcomesSql = `
UPDATE settlement SET next_check_at = CASE WHEN id IS DISTINCT FROM $1 THEN now()
  ELSE greatest(next_check_at, now() + least((now() - settled_at) / 8, interval '10 minutes')) END
WHERE id = $1 OR id = ANY($2::text[])`;

export const outcomeRecordedSql = 'UPDATE settlement SET outcome_due = false WHERE id = $1';

/**
 * Advances and returns the highest head seen of a chain. It is only lowered if it has not advanced
 * for ten minutes, which means that a development chain was restarted. $1 chain, $2 head.
 */
export const advanceCursorSql = `
INSERT INTO chain_cursor (chain, head_number, advanced_at) VALUES ($1, $2::bigint, now())
ON CONFLICT (chain) DO UPDATE SET
  head_number = CASE WHEN chain_cursor.advanced_at < now() - interval '10 minutes'
    THEN excluded.head_number ELSE greatest(chain_cursor.head_number, excluded.head_number) END,
  advanced_at = CASE WHEN excluded.head_number > chain_cursor.head_number
    OR chain_cursor.advanced_at < now() - interval '10 minutes'
    THEN now() ELSE chain_cursor.advanced_at END
RETURNING head_number::text AS highest`;
