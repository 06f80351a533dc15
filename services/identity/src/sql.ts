/**
 * Every statement that Prisma does not write: the hot reads, and what needs a lock, an upsert that
 * takes the greater value, or rows that were changed. Values are always parameters.
 */

/** Hardly any agent has so many, and so many of the largest fit one message. */
export const mandatesAtOnce = 8;

/** As MandateColumns has them. */
const mandateColumns = `
      ordinal, id, agent_id AS "agentId", principal_id AS "principalId",
      client_id AS "clientId", program_id AS "programId", status, rails, currency,
      trim_scale(max_per_transaction)::text AS "maxPerTransaction",
      trim_scale(max_daily)::text AS "maxDaily", trim_scale(max_monthly)::text AS "maxMonthly",
      max_daily_count AS "maxDailyCount", max_monthly_count AS "maxMonthlyCount",
      nullif(allowed_mccs, '{}') AS "allowedMccs", nullif(blocked_mccs, '{}') AS "blockedMccs",
      nullif(allowed_countries, '{}') AS "allowedCountries",
      nullif(blocked_countries, '{}') AS "blockedCountries",
      nullif(allowed_merchants, '{}') AS "allowedMerchants",
      nullif(blocked_merchants, '{}') AS "blockedMerchants",
      nullif(allowed_chains, '{}') AS "allowedChains",
      nullif(allowed_assets, '{}') AS "allowedAssets",
      nullif(allowed_counterparties, '{}') AS "allowedCounterparties",
      trim_scale(crypto_max_transfer)::text AS "cryptoMaxTransfer",
      ${milliseconds('valid_from')} AS "validFrom", ${milliseconds('valid_until')} AS "validUntil",
      mandate_hash AS "mandateHash", version, ${milliseconds('created_at')} AS "createdAt"`;

/**
 * Everything a decision must know of an agent, for all that are asked for in one round trip
 * (GetSpendingFacts). Of each question: $1 client, $2 named principal or null, $3 agent id or null,
 * $4 DID or null. A row for each mandate, or one without. To start so long a statement costs more
 * than to run it once, so it is run often; plain columns cost half of what JSON would.
 *
 * Plan: who acts is named, or one of at most two entries of the index that begins with client_id;
 * the agent is one probe of agents_pkey (or agents_did_idx, a handful of rows: a DID can be used
 * again after a revoke); principal and program are primary-key probes; mandates are a range of
 * mandates_agent_id_ordinal_active_idx, read newest first and stopped after a few: see
 * standingMandates for agents with more. OFFSET 0 keeps each probe a subquery of its own, so that
 * no statistics can turn one into a scan. Nothing grows with the tables, and nothing is sorted but
 * the handful.
 *
 * Amounts leave as text: a number would pass through a double. Times leave as whole milliseconds
 * since 1970, which fit one, because their text depends on settings and is read wrong for years
 * below 100. A list that says nothing leaves as null, which costs nothing.
 */
function spendingFactsSql(agent: string): string {
  return `
  SELECT asked.place::int, p.id AS "actingPrincipalId",
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
    WITH ORDINALITY AS asked (client, principal, agent, did, place)
  CROSS JOIN LATERAL (
    SELECT coalesce(asked.principal, (
      SELECT CASE WHEN count(*) = 1 THEN min(q.id) END
      FROM (SELECT p.id FROM principals p WHERE p.client_id = asked.client LIMIT 2) q
    )) AS principal OFFSET 0
  ) acting
  LEFT JOIN LATERAL (
    SELECT * FROM agents
    WHERE client_id = asked.client
      AND (principal_id = acting.principal OR acting.principal IS NULL) AND ${agent}
  ) a ON true
  LEFT JOIN LATERAL (
    SELECT * FROM principals
    WHERE id = coalesce(acting.principal, a.principal_id) AND client_id = asked.client OFFSET 0
  ) p ON true
  LEFT JOIN LATERAL (SELECT * FROM programs WHERE id = a.program_id OFFSET 0) g ON true
  LEFT JOIN LATERAL (
    SELECT ${mandateColumns}
    FROM mandates WHERE agent_id = a.id AND status = 'ACTIVE'
    ORDER BY ordinal DESC LIMIT ${mandatesAtOnce}
  ) m ON true`;
}

/**
 * $1 agent, $2 how many are looked at. Of its newest active mandates what says whether they can
 * still be used: a range of the same index, whatever has become of those behind it.
 */
export const standingOf = {
  name: 'standing_of',
  text: `
  SELECT id, rails, ${milliseconds('valid_from')} AS "validFrom",
    ${milliseconds('valid_until')} AS "validUntil", ${milliseconds('created_at')} AS "createdAt"
  FROM mandates WHERE agent_id = $1 AND status = 'ACTIVE' ORDER BY ordinal DESC LIMIT $2`,
};

/** $1 agent, $2 ids. */
export const activeMandates = {
  name: 'active_mandates',
  text: `
  SELECT ${mandateColumns}
  FROM mandates WHERE id = ANY($2) AND agent_id = $1 AND status = 'ACTIVE' ORDER BY ordinal DESC`,
};

/** Whole, as columns keep no more than milliseconds. */
function milliseconds(column: string): string {
  return `round(date_part('epoch', ${column}) * 1000)`;
}

/** Named, so that each connection parses and plans them once. */
export const spendingFacts = {
  byId: {
    name: 'spending_facts_by_id',
    text: spendingFactsSql('id = asked.agent AND (asked.did IS NULL OR did = asked.did) OFFSET 0'),
  },
  byDid: {
    name: 'spending_facts_by_did',
    text: spendingFactsSql(`
      did = asked.did AND asked.agent IS NULL
    ORDER BY (status = 'REVOKED'), created_at DESC, id DESC LIMIT 1`),
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
 * $1 agent, $2 level, $3 since when, $4 whose agent it is said to be. A level that the agent has
 * anyway is only noted, so that what is told of it from before stays outdated; `isNews` where it is
 * another.
 */
export const applyTrustLevel = `
  WITH before AS (
    SELECT id, trust_level <> $2 AS is_news FROM agents
    WHERE id = $1 AND client_id = $4
      AND (trust_changed_at IS NULL OR trust_changed_at < $3::timestamptz)
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
  DELETE FROM registration_proof_jti WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM registration_proof_jti WHERE expires_at < $1::timestamptz
    ORDER BY expires_at LIMIT 100 FOR UPDATE SKIP LOCKED))`;

/** $1 agent, $2 when. Every active mandate of an agent that is revoked. */
export const revokeAgentMandates = `
  UPDATE mandates SET status = 'REVOKED', version = version + 1, revoked_at = $2::timestamptz
  WHERE agent_id = $1 AND status = 'ACTIVE'
  RETURNING id, version`;
