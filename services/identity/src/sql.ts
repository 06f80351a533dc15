import { listFields, wireName } from './mandate/terms.js';

/**
 * The hand-written statements: hot reads, and what Prisma cannot express (SKIP LOCKED, conditional
 * upserts, UPDATE … RETURNING). Values are always passed as parameters.
 */

/** Few agents have more active mandates, and this many of the largest still fit one message. */
export const maxInlineMandates = 8;

/** Must match MandateColumns. */
export const mandateColumns = `
      ordinal, id, agent_id AS "agentId", principal_id AS "principalId",
      client_id AS "clientId", program_id AS "programId", status, rails, currency,
      trim_scale(max_per_transaction)::text AS "maxPerTransaction",
      trim_scale(max_daily)::text AS "maxDaily", trim_scale(max_monthly)::text AS "maxMonthly",
      max_daily_count AS "maxDailyCount", max_monthly_count AS "maxMonthlyCount",
      ${listFields.map((field) => `nullif(${wireName(field)}, '{}') AS "${field}"`).join(', ')},
      trim_scale(crypto_max_transfer)::text AS "cryptoMaxTransfer",
      ${milliseconds('valid_from')} AS "validFrom", ${milliseconds('valid_until')} AS "validUntil",
      mandate_hash AS "mandateHash", version, ${milliseconds('created_at')} AS "createdAt"`;

/**
 * Everything a decision needs to know about an agent, for all concurrent queries in one round trip
 * (GetSpendingFacts). Arrays with one element per query: $1 client, $2 named principal or null, $3
 * agent id or null, $4 DID or null. Returns one row per mandate, or one row without a mandate.
 * Starting a statement of this length costs more than executing it for one query, so queries share
 * it. Plain columns cost half as much as JSON.
 *
 * Plan: the acting principal is named, or found with at most two entries of the index that begins
 * with client_id. The agent is one probe of agents_pkey, or of agents_did_idx, which can return
 * several rows because a DID can be used again after its agent was revoked. Principal and program
 * are primary-key probes. Mandates are a range of mandates_agent_id_ordinal_active_idx, read
 * newest first up to a limit; applicableMandates reads those of agents with more. OFFSET 0 keeps
 * each probe a separate subquery, so that no statistics can turn it into a scan. The cost does not
 * grow with the size of the tables.
 *
 * Amounts are returned as text, because a JavaScript number would round them. Times are returned
 * as integer milliseconds since 1970, because their text format depends on server settings and is
 * misread for years below 100. An empty list is returned as null to save bytes.
 */
function spendingFactsSql(agent: string): string {
  return `
  SELECT input.place::int, p.id AS "actingPrincipalId",
    a.id AS "agent.id", a.principal_id AS "agent.principalId", a.program_id AS "agent.programId",
    a.did AS "agent.did", a.status AS "agent.status", a.trust_level AS "agent.trustLevel",
    a.capabilities AS "agent.capabilities", a.key_thumbprint AS "agent.keyThumbprint",
    a.vi_capable AS "agent.viCapable",
    ${milliseconds('a.created_at')} AS "agent.createdAt", a.version AS "agent.version",
    p.verification_status AS "verificationStatus",
    ${milliseconds('p.verification_expires_at')} AS "verificationExpiresAt",
    p.risk_tier AS "principal.riskTier", p.version AS "principal.version",
    g.status AS "program.status", g.rails AS "program.rails", g.version AS "program.version",
    g.fraud_triage_enabled AS "program.fraudTriageEnabled", m.*
  FROM unnest($1::text[], $2::text[], $3::text[], $4::text[])
    WITH ORDINALITY AS input (client, principal, agent, did, place)
  CROSS JOIN LATERAL (
    SELECT coalesce(input.principal, (
      SELECT CASE WHEN count(*) = 1 THEN min(q.id) END
      FROM (SELECT p.id FROM principals p WHERE p.client_id = input.client LIMIT 2) q
    )) AS principal OFFSET 0
  ) acting
  LEFT JOIN LATERAL (
    SELECT * FROM agents
    WHERE client_id = input.client
      AND (principal_id = acting.principal OR acting.principal IS NULL) AND ${agent}
  ) a ON true
  LEFT JOIN LATERAL (
    SELECT * FROM principals
    WHERE id = coalesce(acting.principal, a.principal_id) AND client_id = input.client OFFSET 0
  ) p ON true
  LEFT JOIN LATERAL (SELECT * FROM programs WHERE id = a.program_id OFFSET 0) g ON true
  LEFT JOIN LATERAL (
    SELECT ${mandateColumns}
    FROM mandates WHERE agent_id = a.id AND status = 'ACTIVE'
    ORDER BY ordinal DESC LIMIT ${maxInlineMandates}
  ) m ON true`;
}

/** An integer, since the columns have millisecond precision. */
export function milliseconds(column: string): string {
  return `round(date_part('epoch', ${column}) * 1000)`;
}

/** Named, so that each connection parses and plans each statement once. */
export const spendingFacts = {
  byId: {
    name: 'spending_facts_by_id',
    text: spendingFactsSql('id = input.agent AND (input.did IS NULL OR did = input.did) OFFSET 0'),
  },
  byDid: {
    name: 'spending_facts_by_did',
    text: spendingFactsSql(`
      did = input.did
    ORDER BY (status = 'REVOKED'), created_at DESC, id DESC LIMIT 1`),
  },
} as const;

/** $1 clients, $2 principals. LIMIT keeps each pair a separate primary-key probe. */
export const namedPrincipals = {
  name: 'named_principals',
  text: `
  SELECT input.place::int AS place, p.*
  FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS input (client, principal, place)
  CROSS JOIN LATERAL (
    SELECT id, verification_status AS "verificationStatus",
      verification_expires_at AS "verificationExpiresAt"
    FROM principals WHERE id = input.principal AND client_id = input.client LIMIT 1
  ) p`,
} as const;

/** $1 client. Two rows suffice to tell whether the client has one principal or several. */
export const onlyPrincipal = {
  name: 'only_principal',
  text: `
  SELECT id, verification_status AS "verificationStatus",
    verification_expires_at AS "verificationExpiresAt"
  FROM principals WHERE client_id = $1 LIMIT 2`,
} as const;

/**
 * $1 ids, $2 versions, $3 whether each is a revoked agent. created_at is kept, so that repeated
 * changes of one entity cannot postpone the delivery of its fence.
 */
export const putPendingFences = `
  INSERT INTO pending_fences (entity_id, version, revoked)
  SELECT * FROM unnest($1::text[], $2::int[], $3::boolean[])
  ON CONFLICT (entity_id) DO UPDATE SET
    version = greatest(pending_fences.version, excluded.version),
    revoked = pending_fences.revoked OR excluded.revoked`;

/** $1 ids, $2 limit. */
export const pendingFencesOf = `
  SELECT entity_id AS "entityId", version, revoked FROM pending_fences
  WHERE entity_id = ANY($1::text[]) LIMIT $2`;

/**
 * $1 minimum age in milliseconds, which leaves the call that wrote a fence time to deliver it;
 * $2 limit. A fence from the future was written before the clock was set back: it must not wait for
 * as long, since payments are approved without it.
 */
export const overdueFences = `
  SELECT entity_id AS "entityId", version, revoked FROM pending_fences
  WHERE created_at <= now() - $1::int * interval '1 millisecond' OR created_at > now()
  ORDER BY created_at LIMIT $2`;

/**
 * $1 ids, $2 versions that the ledger has acknowledged. A newer version that was written meanwhile
 * is kept. Rows locked by another call are skipped and left to it, which rules out deadlocks.
 */
export const deleteFences = `
  DELETE FROM pending_fences WHERE entity_id IN (
    SELECT p.entity_id FROM pending_fences p
    JOIN unnest($1::text[], $2::int[]) AS acknowledged (entity_id, version)
      ON p.entity_id = acknowledged.entity_id AND p.version <= acknowledged.version
    FOR UPDATE OF p SKIP LOCKED)`;

/**
 * $1 agent, $2 level, $3 time of the event, $4 the client that the event names. Events older than
 * the last one applied are ignored. If the agent has the level already, only the time is recorded,
 * so that older events stay outdated, and the version does not change.
 */
export const applyTrustLevel = `
  WITH before AS (
    SELECT id, trust_level <> $2 AS level_changed FROM agents
    WHERE id = $1 AND client_id = $4
      AND (trust_changed_at IS NULL OR trust_changed_at < $3::timestamptz)
    FOR NO KEY UPDATE
  )
  UPDATE agents SET trust_level = $2, trust_changed_at = $3::timestamptz,
    version = version + before.level_changed::int,
    updated_at = CASE WHEN before.level_changed THEN $3::timestamptz ELSE updated_at END
  FROM before WHERE agents.id = before.id
  RETURNING agents.id, client_id AS "clientId", principal_id AS "principalId", version,
    before.level_changed AS "levelChanged"`;

/** $1 now. Deletes a bounded number of rows and skips those locked by another call. */
export const purgeUsedProofs = `
  DELETE FROM registration_proof_jti WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM registration_proof_jti WHERE expires_at < $1::timestamptz
    ORDER BY expires_at LIMIT 100 FOR UPDATE SKIP LOCKED))`;
