const caseColumns = `
        id, authorization_id AS "authorizationId", client_id AS "clientId",
        principal_id AS "principalId", agent_id AS "agentId", program_id AS "programId",
        severity, signals, amount, currency, status, resolution, resolved_by AS "resolvedBy",
        resolved_at AS "resolvedAt", created_at AS "createdAt"`;

/** Every read is a probe of a primary or unique key, whose cost does not grow with the table. */
export const triageSql = {
  // Advisory locks on agents and authorizations, since new ones have no row to lock. Sorted, so
  // that replicas cannot deadlock; seeded with 1, so that they are not those of the profiles.
  lock: {
    name: 'lock_triage',
    text: `
      SELECT count(pg_advisory_xact_lock(key))
      FROM (
        SELECT DISTINCT hashtextextended(name, 1) AS key
        FROM unnest($1::text[]) AS name ORDER BY key
      ) AS keys`,
  },
  /** $1 agents and $2 their Principals. */
  watches: {
    name: 'read_agent_watches',
    text: `
      SELECT w.agent_id AS "agentId", w.principal_id AS "principalId", w.state
      FROM unnest($1::text[], $2::text[]) AS asked (agent_id, principal_id)
      JOIN agent_watch w USING (agent_id, principal_id)`,
  },
  /** $1 authorizations. Locks the rows, since a call may be resolving one of them. */
  cases: {
    name: 'read_fraud_cases',
    text: `
      SELECT ${caseColumns}
      FROM fraud_case WHERE authorization_id = ANY($1::text[]) ORDER BY id FOR UPDATE`,
  },
  /** $1 a case. */
  oneCase: {
    name: 'read_fraud_case',
    text: `SELECT ${caseColumns} FROM fraud_case WHERE id = $1 FOR UPDATE`,
  },
  /** $1 authorizations. */
  reports: {
    name: 'read_fraud_verdicts',
    text: `
      SELECT authorization_id AS "authorizationId", principal_id AS "principalId", resolution,
        reported_by AS "reportedBy",
        (extract(epoch FROM reported_at) * 1000)::float8 AS at
      FROM fraud_verdict WHERE authorization_id = ANY($1::text[])`,
  },
  /** $1 here and below: rows as JSON. */
  putWatches: {
    name: 'put_agent_watches',
    text: `
      INSERT INTO agent_watch (agent_id, principal_id, state)
      SELECT "agentId", "principalId", state
      FROM jsonb_to_recordset($1::jsonb) AS r ("agentId" text, "principalId" text, state jsonb)
      ON CONFLICT (agent_id, principal_id) DO UPDATE SET
        state = excluded.state, updated_at = now()`,
  },
  addCases: {
    name: 'add_fraud_cases',
    text: `
      INSERT INTO fraud_case (id, authorization_id, client_id, principal_id, agent_id, program_id,
        severity, signals, amount, currency, status, resolution, resolved_by, resolved_at,
        created_at)
      SELECT id, "authorizationId", "clientId", "principalId", "agentId", "programId", severity,
        signals, amount, currency, status, resolution, "resolvedBy", "resolvedAt", "createdAt"
      FROM jsonb_to_recordset($1::jsonb) AS r (id text, "authorizationId" text, "clientId" text,
        "principalId" text, "agentId" text, "programId" text, severity text, signals jsonb,
        amount text, currency text, status text, resolution text, "resolvedBy" text,
        "resolvedAt" timestamptz, "createdAt" timestamptz)`,
  },
  resolveCases: {
    name: 'resolve_fraud_cases',
    text: `
      UPDATE fraud_case c SET status = 'RESOLVED', resolution = r.resolution,
        resolved_by = r."resolvedBy", resolved_at = r."resolvedAt"
      FROM jsonb_to_recordset($1::jsonb) AS r (id text, resolution text, "resolvedBy" text,
        "resolvedAt" timestamptz)
      WHERE c.id = r.id`,
  },
  addReports: {
    name: 'add_fraud_verdicts',
    text: `
      INSERT INTO fraud_verdict (authorization_id, principal_id, resolution, reported_by,
        reported_at)
      SELECT "authorizationId", "principalId", resolution, "reportedBy",
        to_timestamp(at / 1000)
      FROM jsonb_to_recordset($1::jsonb) AS r ("authorizationId" text, "principalId" text,
        resolution text, "reportedBy" text, at float8)
      ON CONFLICT DO NOTHING`,
  },
  addPatterns: {
    name: 'add_fraud_patterns',
    text: `
      INSERT INTO fraud_pattern (id, agent_id, principal_id, confidence, indicators,
        authorization_ids, recommended_action, created_at)
      SELECT "patternId", "agentId", "principalId", confidence, indicators, "authorizationIds",
        "recommendedAction", to_timestamp(at / 1000)
      FROM jsonb_to_recordset($1::jsonb) AS r ("patternId" text, "agentId" text,
        "principalId" text, confidence float8, indicators text[], "authorizationIds" text[],
        "recommendedAction" text, at float8)`,
  },
} as const;
