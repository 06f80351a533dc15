import { sweepOutboxSql } from '@countersign/runtime/retention';

/**
 * The hand-written statements. Those that enforce limits and write records are database functions,
 * so each is a single statement and transaction, and no lock is held for a network round trip. The
 * functions and their plans are explained in prisma/migrations.
 */

/** Executed as a named statement, which each connection parses once. */
export const commitSql = `
  SELECT request, outcome, answer, detail
  FROM commit_proposals(
    $1::proposal[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
    $8::text[], $9::text[], $10::text[], $11::int[], $12::text[], $13::text[],
    CASE WHEN assert_epoch($15) THEN $14::text[] END
  )`;

/** Rare enough to be parsed each time. The claim is passed as JSON objects with column names. */
export const commitWithIntentSql = `
  SELECT request, outcome, answer, detail
  FROM commit_with_intent(
    $1::proposal[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
    $8::text[], $9::text[], $10::text[], $11::int[], $12::text[], $13::text[],
    jsonb_populate_record(NULL::intent_use, $14::jsonb),
    jsonb_populate_record(NULL::intent_nonce, $15::jsonb), $16::text[], $17::bytea,
    CASE WHEN assert_epoch($19) THEN $18 END
  )`;

/**
 * $1 limit. Clocks differ: a presentation that has expired by the database's may still be accepted
 * by a process.
 */
export const sweepNoncesSql = `
  DELETE FROM intent_nonce WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM intent_nonce WHERE expires_at < now() - interval '5 minutes'
    ORDER BY expires_at LIMIT $1 FOR UPDATE SKIP LOCKED
  ))`;

/**
 * Marks at most $1 expired challenges as published, oldest first, skipping those that are being
 * answered concurrently. Expiry is determined by the database's clock. `expires_at` is set to the
 * epoch so that a replica whose clock is behind does not accept an answer afterwards.
 */
export const claimExpiredSql = `
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

/** $1 Principal. All of them: one that was left out could not be found and removed. */
export const listIntentSubjectsSql = `
  SELECT ${intentSubjectColumns} FROM intent_subject WHERE principal_id = $1
  ORDER BY issuer, subject`;

/**
 * $1 Principal, $2 issuer, $3 subject, $4 time, $5 maximum per Principal. A user that was bound by
 * its first use becomes explicitly registered. The commit takes the same lock for first uses.
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

/** Arrays with one element per query: $1 Principals, $2 idempotency keys, $3 body hashes. */
export const findReplays = {
  name: 'find_replays',
  text: `
  SELECT place, same_body AS "sameBody", answer
  FROM find_replays($1::text[], $2::text[], $3::text[])`,
} as const;

/** Executed at start-up, and again where the database may be another one than before. */
export const databaseSql = `
  SELECT database_epoch() AS epoch, t.oid::int AS oid,
    array_agg(a.attname::text ORDER BY a.attnum) AS attributes
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
  SELECT outcome, confirmed_at, exceeded, intent_codes
  FROM confirm_step_up_with_intent($1, $2, $3, $4, $5::text[], $6::int[], $7, $8)`;

export const denyStepUpSql = 'SELECT deny_step_up($1, $2, $3, $4, $5, $6) AS outcome';

/** Deletes those of the first $1 outbox rows that were published more than $2 hours ago. */
export const sweepPublishedSql = sweepOutboxSql(`now() - $2::int * interval '1 hour'`);

const outcomeColumns = `
  o.id, o.revision, o.authorization_id AS "authorizationId", o.principal_id AS "principalId",
  o.outcome_type AS "outcomeType", o.reported_at AS "reportedAt", o.reported_by AS "reportedBy",
  o.evidence, o.notes, o.external_reference_id AS "externalReferenceId",
  o.settled_amount AS "settledAmount", o.settled_currency AS "settledCurrency",
  o.settled_at AS "settledAt", o.created_at AS "createdAt"`;

/** One index probe per pair, regardless of the number of revisions. */
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
 * The newest authorization with a reference value, whether it was recorded with it or the value
 * was appended later. One probe per value of the partial index of the column, and one of the index
 * of appended references.
 */
function matchSql(column: 'network_rrn' | 'tx_hash' | 'client_reference', more = ''): string {
  return `
  SELECT wanted.value, ${matchedColumns} FROM unnest($2::text[]) AS wanted (value)
  CROSS JOIN LATERAL (
    SELECT * FROM (
      (SELECT * FROM authorization_record
       WHERE principal_id = $1 AND ${column} = wanted.value
       ORDER BY created_at DESC, id DESC LIMIT 1)
      UNION ALL
      (SELECT learnt.* FROM reference f
       JOIN authorization_record learnt ON learnt.id = f.authorization_id
       WHERE f.principal_id = $1 AND f.kind = '${column}' AND f.value = wanted.value
       ORDER BY learnt.created_at DESC, learnt.id DESC LIMIT 1)
      ${more}
    ) found
    ORDER BY found.created_at DESC, found.id DESC LIMIT 1
  ) r`;
}

/** Whether agent $1 has the maximum number of open challenges at $2, as the commit counts them. */
export const challengesFullSql = `
  SELECT open_challenges($1, $2::timestamptz) >= most_open_challenges() AS "isFull"`;

/** Must match the condition of the two partial indexes on such hashes. */
const isHash = "~ '^0x[0-9a-fA-F]{64}$'";

/** Matches transaction hashes case-insensitively. */
const hashInAnyCase = `
      UNION ALL
      (SELECT * FROM authorization_record
       WHERE principal_id = $1 AND lower(tx_hash) = lower(wanted.value) AND tx_hash ${isHash}
       ORDER BY created_at DESC, id DESC LIMIT 1)
      UNION ALL
      (SELECT learnt.* FROM reference f
       JOIN authorization_record learnt ON learnt.id = f.authorization_id
       WHERE f.principal_id = $1 AND f.kind = 'tx_hash' AND f.value ${isHash}
         AND lower(f.value) = lower(wanted.value)
       ORDER BY learnt.created_at DESC, learnt.id DESC LIMIT 1)`;

export const matchByReferenceSql = {
  network_rrn: matchSql('network_rrn'),
  tx_hash: matchSql('tx_hash', hashInAnyCase),
  client_reference: matchSql('client_reference'),
};
