/**
 * Every statement that Prisma does not write: the hot reads, and what needs a lock, an upsert that
 * takes the greater value, or rows that were changed. Values are always parameters.
 */

/**
 * Everything a decision must know of an agent, for all that are asked for in one round trip
 * (GetSpendingFacts). Of each question: $1 client, $2 named principal or null, $3 agent id or null,
 * $4 DID or null. To start so long a statement costs more than to run it once, so it is run often.
 *
 * Plan: `acting` is one primary-key probe, or at most two entries of the index that begins with
 * client_id; `candidate` is one probe of agents_pkey (or agents_did_idx, a handful of rows: a DID
 * can be used again after a revoke); principal and program are primary-key probes; enrolments and
 * mandates are index ranges, the latter mandates_agent_id_ordinal_active_idx, read newest first and
 * stopped after a hundred. Nothing is sorted but the handful, nothing grows with the tables.
 *
 * Rows leave as JSON, amounts as text: a JSON number would pass through a double.
 */
function spendingFactsSql(agentCondition: string): string {
  return `
  SELECT asked.place::int, facts.*
  FROM unnest($1::text[], $2::text[], $3::text[], $4::text[])
    WITH ORDINALITY AS asked (client, principal, agent, did, place)
  CROSS JOIN LATERAL (
  WITH acting AS (
    SELECT CASE
      WHEN asked.principal IS NOT NULL THEN (
        SELECT p.id FROM principals p WHERE p.id = asked.principal AND p.client_id = asked.client)
      ELSE (
        SELECT CASE WHEN count(*) = 1 THEN min(q.id) END
        FROM (SELECT p.id FROM principals p WHERE p.client_id = asked.client LIMIT 2) q
      ) END AS id
  ), candidate AS (
    SELECT a.* FROM agents a CROSS JOIN acting
    WHERE ${agentCondition} AND a.client_id = asked.client
      AND (a.principal_id = acting.id OR (acting.id IS NULL AND asked.principal IS NULL))
    ORDER BY (a.status = 'REVOKED'), a.created_at DESC, a.id DESC LIMIT 1
  )
  SELECT coalesce(acting.id, a.principal_id) AS "actingPrincipalId",
    CASE WHEN a.id IS NOT NULL THEN json_build_object(
      'id', a.id, 'principalId', a.principal_id, 'clientId', a.client_id,
      'programId', a.program_id, 'did', a.did, 'didMethod', a.did_method, 'name', a.name,
      'status', a.status, 'trustLevel', a.trust_level, 'capabilities', a.capabilities,
      'publicKeyJwkJson', a.public_key_jwk_json,
      'keyThumbprint', a.key_thumbprint, 'viCapable', a.vi_capable, 'version', a.version,
      'createdAt', a.created_at) END AS agent,
    CASE WHEN p.id IS NOT NULL THEN json_build_object(
      'id', p.id, 'clientId', p.client_id, 'principalKind', p.principal_kind,
      'clientCustomerRef', p.client_customer_ref, 'verificationStatus', p.verification_status,
      'verificationExpiresAt', p.verification_expires_at,
      'verificationMode', p.verification_mode, 'riskTier', p.risk_tier, 'version', p.version,
      'createdAt', p.created_at, 'programIds', (
        SELECT coalesce(json_agg(e.program_id ORDER BY e.seq), '[]') FROM enrolments e
        WHERE e.principal_id = p.id)) END AS principal,
    CASE WHEN g.id IS NOT NULL THEN json_build_object(
      'id', g.id, 'clientId', g.client_id, 'name', g.name, 'status', g.status, 'rails', g.rails,
      'verificationMode', g.verification_mode, 'defaultCurrency', g.default_currency,
      'ceilingPerTransaction', g.ceiling_per_transaction::text,
      'ceilingDaily', g.ceiling_daily::text, 'ceilingMonthly', g.ceiling_monthly::text,
      'fraudTriageEnabled', g.fraud_triage_enabled, 'metadataJson', g.metadata_json,
      'version', g.version, 'createdAt', g.created_at, 'updatedAt', g.updated_at) END AS program,
    (SELECT coalesce(json_agg(json_build_object(
      'id', m.id, 'agentId', m.agent_id, 'principalId', m.principal_id,
      'clientId', m.client_id, 'programId', m.program_id, 'status', m.status, 'rails', m.rails,
      'currency', m.currency, 'maxPerTransaction', m.max_per_transaction::text,
      'maxDaily', m.max_daily::text, 'maxMonthly', m.max_monthly::text,
      'maxDailyCount', m.max_daily_count, 'maxMonthlyCount', m.max_monthly_count,
      'allowedMccs', m.allowed_mccs, 'blockedMccs', m.blocked_mccs,
      'allowedCountries', m.allowed_countries, 'blockedCountries', m.blocked_countries,
      'allowedMerchants', m.allowed_merchants, 'blockedMerchants', m.blocked_merchants,
      'allowedChains', m.allowed_chains, 'allowedAssets', m.allowed_assets,
      'allowedCounterparties', m.allowed_counterparties,
      'cryptoMaxTransfer', m.crypto_max_transfer::text,
      'validFrom', m.valid_from, 'validUntil', m.valid_until, 'mandateHash', m.mandate_hash,
      'version', m.version, 'createdAt', m.created_at) ORDER BY m.ordinal DESC), '[]')
      FROM (
        SELECT * FROM mandates WHERE agent_id = a.id AND status = 'ACTIVE'
        ORDER BY ordinal DESC LIMIT 100
      ) m) AS mandates
  FROM acting
  LEFT JOIN candidate a ON true
  LEFT JOIN principals p ON p.id = a.principal_id
  LEFT JOIN programs g ON g.id = a.program_id
  ) facts`;
}

/** Named, so that each connection parses and plans them once. */
export const spendingFacts = {
  byId: {
    name: 'spending_facts_by_id',
    text: spendingFactsSql('a.id = asked.agent AND (asked.did IS NULL OR a.did = asked.did)'),
  },
  byDid: {
    name: 'spending_facts_by_did',
    text: spendingFactsSql('a.did = asked.did AND asked.agent IS NULL'),
  },
} as const;

/** $1 clients, $2 principals: one primary-key probe for each pair. LIMIT keeps it one. */
export const namedPrincipals = {
  name: 'named_principals',
  text: `
  SELECT asked.place::int AS place, p.*
  FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS asked (client, principal, place)
  CROSS JOIN LATERAL (
    SELECT id, verification_status AS "verificationStatus",
      verification_expires_at AS "verificationExpiresAt"
    FROM principals WHERE id = asked.principal AND client_id = asked.client LIMIT 1
  ) p`,
} as const;

/** $1 client: at most two entries of the index that begins with client_id tell one from several. */
export const onlyPrincipal = {
  name: 'only_principal',
  text: `
  SELECT id, verification_status AS "verificationStatus",
    verification_expires_at AS "verificationExpiresAt"
  FROM principals WHERE client_id = $1 LIMIT 2`,
} as const;

/**
 * $1 ids, $2 versions, $3 which are revoked agents. The first time of waiting is kept: a change
 * upon a change waits no less.
 */
export const putPendingFences = `
  INSERT INTO pending_fences (entity_id, version, revoked)
  SELECT * FROM unnest($1::text[], $2::int[], $3::boolean[])
  ON CONFLICT (entity_id) DO UPDATE SET
    version = greatest(pending_fences.version, excluded.version),
    revoked = pending_fences.revoked OR excluded.revoked`;

/** $1 ids, $2 most rows. */
export const pendingFencesOf = `
  SELECT entity_id AS "entityId", version, revoked FROM pending_fences
  WHERE entity_id = ANY($1::text[]) LIMIT $2`;

/** $1 milliseconds they must have waited, so that the call that wrote them goes first; $2 rows. */
export const leftoverFences = `
  SELECT entity_id AS "entityId", version, revoked FROM pending_fences
  WHERE created_at <= now() - $1::int * interval '1 millisecond'
  ORDER BY created_at LIMIT $2`;

/**
 * $1 ids, $2 versions the ledger has. A newer version that came meanwhile stays, and a row that
 * another call holds is left to it: nobody waits here, so nobody can wait in a circle.
 */
export const deleteFences = `
  DELETE FROM pending_fences WHERE entity_id IN (
    SELECT p.entity_id FROM pending_fences p
    JOIN unnest($1::text[], $2::int[]) AS held (entity_id, version)
      ON p.entity_id = held.entity_id AND p.version <= held.version
    FOR UPDATE OF p SKIP LOCKED)`;

/**
 * $1 agent, $2 level, $3 since when. A level that the agent has anyway is only noted, so that what
 * is told of it from before stays outdated; `isNews` where it is another.
 */
export const applyTrustLevel = `
  WITH before AS (
    SELECT id, trust_level <> $2 AS is_news FROM agents
    WHERE id = $1 AND (trust_changed_at IS NULL OR trust_changed_at < $3::timestamptz)
    FOR NO KEY UPDATE
  )
  UPDATE agents SET trust_level = $2, trust_changed_at = $3::timestamptz,
    version = version + before.is_news::int,
    updated_at = CASE WHEN before.is_news THEN $3::timestamptz ELSE updated_at END
  FROM before WHERE agents.id = before.id
  RETURNING agents.id, client_id AS "clientId", principal_id AS "principalId", version,
    before.is_news AS "isNews"`;

/** $1 now. A few at a time, and never waiting for one that another call is removing. */
export const purgeUsedProofs = `
  DELETE FROM registration_proof_jti WHERE (key_thumbprint, jti) IN (
    SELECT key_thumbprint, jti FROM registration_proof_jti WHERE expires_at < $1::timestamptz
    ORDER BY expires_at LIMIT 100 FOR UPDATE SKIP LOCKED)`;

/** $1 agent, $2 when. Every active mandate of an agent that is revoked. */
export const revokeAgentMandates = `
  UPDATE mandates SET status = 'REVOKED', version = version + 1, revoked_at = $2::timestamptz
  WHERE agent_id = $1 AND status = 'ACTIVE'
  RETURNING id, version`;
