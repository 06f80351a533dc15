import { sweepOutboxSql } from '@countersign/runtime/retention';

/**
 * The statements that are not Prisma's. Those that judge and write are functions of the database,
 * each one statement and so one transaction: locks are held for as long as the server needs, never
 * for as long as a process takes to send the next statement. Their text and their plans are
 * explained where they are made, in prisma/migrations.
 */

/** Named, so each connection parses it once; the work is in the function's own cached plans. */
export const commitSql = `
  SELECT request, outcome, answer, detail
  FROM commit_proposals(
    $1::proposal[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
    $8::text[], $9::text[], $10::text[], $11::int[], $12::text[], $13::text[]
  )`;

/** Seldom enough to be parsed each time; what is claimed travels by the names of columns. */
export const commitWithIntentSql = `
  SELECT request, outcome, answer, detail
  FROM commit_with_intent(
    $1::proposal[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
    $8::text[], $9::text[], $10::text[], $11::int[], $12::text[], $13::text[],
    jsonb_populate_record(NULL::intent_use, $14::jsonb),
    jsonb_populate_record(NULL::intent_nonce, $15::jsonb), $16::text[], $17::bytea, $18
  )`;

/** Of presentations that expired before $2, at most $1. */
export const sweepNoncesSql = `
  DELETE FROM intent_nonce WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM intent_nonce WHERE expires_at < $2::timestamptz
    ORDER BY expires_at LIMIT $1 FOR UPDATE SKIP LOCKED
  ))`;

/**
 * Marks as told what expired unanswered, at most $1 of it, the first to expire first. An answer
 * that arrives at the same moment waits, or is skipped. Expiry is by the database's clock and holds
 * for every replica: one whose clock is behind must not accept an answer after that.
 */
export const takeExpiredSql = `
  UPDATE pending_step_up p SET expiry_told_at = now(), expires_at = 'epoch'
  FROM authorization_record r
  WHERE r.id = p.authorization_id AND p.ctid = ANY (ARRAY(
    SELECT ctid FROM pending_step_up WHERE expiry_told_at IS NULL AND expires_at < now()
    ORDER BY expires_at LIMIT $1 FOR UPDATE SKIP LOCKED
  ))
  RETURNING r.id, r.client_id AS "clientId", r.principal_id AS "principalId",
    r.agent_id AS "agentId", r.amount, r.currency, r.exponent,
    r.step_up_expires_at AS "expiresAt"`;

export const intentEvidenceSql = `
  SELECT sealed_chain AS "sealedChain", sealed_by AS "sealedBy", created_at AS "createdAt"
  FROM intent_evidence WHERE authorization_id = $1`;

const intentSubjectColumns = `
  principal_id AS "principalId", issuer, subject, how, bound_at AS "boundAt",
  user_key_thumbprint AS "userKeyThumbprint", authorization_id AS "authorizationId"`;

/** Of Principal $1, at most $2. */
export const listIntentSubjectsSql = `
  SELECT ${intentSubjectColumns} FROM intent_subject WHERE principal_id = $1
  ORDER BY issuer, subject LIMIT $2`;

/**
 * $1 Principal, $2 issuer, $3 subject, $4 when, $5 the most a Principal has. One that was bound by
 * its first use stays as it is but for being registered now. The lock is that of first uses.
 */
export const putIntentSubjectSql = `
  WITH alone AS MATERIALIZED (
    SELECT pg_advisory_xact_lock(1004, hashtext($1::text || ' ' || $2::text))
  )
  INSERT INTO intent_subject AS s (principal_id, issuer, subject, how, bound_at)
  SELECT $1, $2, $3, 'explicit', $4::timestamptz FROM alone
  WHERE (SELECT count(*) FROM intent_subject WHERE principal_id = $1) < $5
    OR EXISTS (
      SELECT FROM intent_subject WHERE principal_id = $1 AND issuer = $2 AND subject = $3
    )
  ON CONFLICT (principal_id, issuer, subject) DO UPDATE SET how = 'explicit'
  RETURNING ${intentSubjectColumns}`;

export const deleteIntentSubjectSql = `
  DELETE FROM intent_subject WHERE principal_id = $1 AND issuer = $2 AND subject = $3`;

/** Parameters: Principals, keys and hashes of bodies, one each a question. */
export const findReplays = {
  name: 'find_replays',
  text: `
  SELECT place, same_body AS "sameBody", answer
  FROM find_replays($1::text[], $2::text[], $3::text[])`,
} as const;

/** At start-up only. */
export const proposalTypeSql = `
  SELECT t.oid::int AS oid, array_agg(a.attname::text ORDER BY a.attnum) AS attributes
  FROM pg_type t JOIN pg_attribute a ON a.attrelid = t.typrelid AND NOT a.attisdropped
  WHERE t.oid = 'proposal'::regtype GROUP BY t.oid`;

export const settleGivenSql = `
  SELECT outcome, answer
  FROM settle_given_answer($1::proposal[], $2, $3::timestamptz, $4, $5, $6, $7)`;

export const fenceSql = 'SELECT raise_fences($1::text[], $2::int[])';

export const fenceAndDenySql = `
  SELECT raise_fences_and_deny($1::text[], $2::int[], $3::text[], $4, $5::text[], $6) AS denied`;

export const reverseSql = `
  SELECT outcome, released, partial
  FROM reverse_authorization($1, $2, $3::numeric, $4, $5, $6::timestamptz, $7, $8)`;

export const confirmStepUpSql = `
  SELECT outcome, confirmed_at, exceeded, stale_ids, intent_codes
  FROM confirm_step_up_with_intent($1, $2, $3, $4, $5::text[], $6::int[], $7, $8)`;

export const denyStepUpSql = 'SELECT deny_step_up($1, $2, $3, $4, $5, $6) AS outcome';

/** Of the first $1 rows of the outbox, what was published before $2. */
export const sweepPublishedSql = sweepOutboxSql('$2::timestamptz');

const outcomeColumns = `
  o.id, o.revision, o.authorization_id AS "authorizationId", o.principal_id AS "principalId",
  o.outcome_type AS "outcomeType", o.reported_at AS "reportedAt", o.reported_by AS "reportedBy",
  o.evidence, o.notes, o.external_reference_id AS "externalReferenceId",
  o.settled_amount AS "settledAmount", o.settled_currency AS "settledCurrency",
  o.settled_at AS "settledAt", o.created_at AS "createdAt"`;

/** One probe of the unique index a pair, however often an outcome was revised. */
export const latestOutcomesSql = `
  SELECT ${outcomeColumns}
  FROM unnest($1::text[], $2::text[]) AS wanted (authorization_id, outcome_type)
  CROSS JOIN LATERAL (
    SELECT * FROM outcome
    WHERE authorization_id = wanted.authorization_id AND outcome_type = wanted.outcome_type
    ORDER BY revision DESC LIMIT 1
  ) o`;

export const insertOutcomesSql = `
  INSERT INTO outcome (
    id, revision, authorization_id, principal_id, outcome_type, reported_at, reported_by, evidence,
    notes, external_reference_id, settled_amount, settled_currency, settled_at, created_at
  )
  SELECT * FROM unnest(
    $1::text[], $2::int[], $3::text[], $4::text[], $5::text[], $6::timestamptz[], $7::text[],
    $8::text[], $9::text[], $10::text[], $11::numeric[], $12::text[], $13::timestamptz[],
    $14::timestamptz[]
  )
  ON CONFLICT DO NOTHING`;

export const insertReferencesSql = `
  INSERT INTO reference (authorization_id, kind, principal_id, value)
  SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[])
  ON CONFLICT DO NOTHING`;

const matchedColumns = `
  r.id, r.client_id AS "clientId", r.principal_id AS "principalId", r.agent_id AS "agentId",
  r.currency, r.rail, r.network_rrn AS "networkRrn", r.tx_hash AS "txHash",
  r.auth_code AS "authCode", r.network_reference AS "networkReference", r.chain_id AS "chainId"`;

export const matchByIdSql = `
  SELECT ${matchedColumns} FROM unnest($1::text[]) AS wanted (id)
  CROSS JOIN LATERAL (SELECT * FROM authorization_record WHERE id = wanted.id LIMIT 1) r`;

/**
 * The newest authorization that bears a value, recorded with it or learnt later: for each value one
 * step into the partial index of the column, and into the index of what was learnt.
 */
function matchSql(column: 'network_rrn' | 'tx_hash' | 'client_reference', more = ''): string {
  return `
  SELECT wanted.value, ${matchedColumns} FROM unnest($2::text[]) AS wanted (value)
  CROSS JOIN LATERAL (
    SELECT * FROM (
      (SELECT * FROM authorization_record
       WHERE principal_id = $1 AND ${column} = wanted.value
       ORDER BY created_at DESC LIMIT 1)
      UNION ALL
      (SELECT learnt.* FROM reference f
       JOIN authorization_record learnt ON learnt.id = f.authorization_id
       WHERE f.principal_id = $1 AND f.kind = '${column}' AND f.value = wanted.value
       ORDER BY learnt.created_at DESC LIMIT 1)
      ${more}
    ) found
    ORDER BY found.created_at DESC, found.id DESC LIMIT 1
  ) r`;
}

/** Whether agent $1 could have no challenge more at $2, as the commit sees it. */
export const challengesFullSql = `
  SELECT open_challenges($1, $2::timestamptz) >= most_open_challenges() AS "isFull"`;

/** In the words of the two indexes that are only of such hashes. */
const isHash = "~ '^0x[0-9a-fA-F]{64}$'";

/** The hash of a transaction, in whatever letters its digits were recorded or are asked for. */
const hashInAnyCase = `
      UNION ALL
      (SELECT * FROM authorization_record
       WHERE principal_id = $1 AND lower(tx_hash) = lower(wanted.value) AND tx_hash ${isHash}
       ORDER BY created_at DESC LIMIT 1)
      UNION ALL
      (SELECT learnt.* FROM reference f
       JOIN authorization_record learnt ON learnt.id = f.authorization_id
       WHERE f.principal_id = $1 AND f.kind = 'tx_hash' AND f.value ${isHash}
         AND lower(f.value) = lower(wanted.value)
       ORDER BY learnt.created_at DESC LIMIT 1)`;

export const matchByReferenceSql = {
  network_rrn: matchSql('network_rrn'),
  tx_hash: matchSql('tx_hash', hashInAnyCase),
  client_reference: matchSql('client_reference'),
};
