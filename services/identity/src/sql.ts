import { mandateColumns, milliseconds } from './mandate/sql.js';

/** Few agents have more active mandates, and this many of the largest still fit one message. */
export const maxInlineMandates = 8;

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
