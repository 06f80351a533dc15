/**
 * Reads thresholds, profiles and traces for a group of decisions: $1 principals and $2 agents, one
 * pair per decision; $3 to $5 the cached versions of thresholds, profile and traces. Returns a row
 * only for pairs with an outdated version, with the index of the pair in `place`. If traces were
 * removed since the cached version, all traces are returned, else only newer ones.
 *
 * Plan: a primary-key probe of each table per pair. OFFSET 0 keeps each probe a separate subquery,
 * so that the planner cannot choose a scan of a growing table. Traces are read only if the
 * profile is newer than they are.
 */
export const stateSql = {
  name: 'known',
  text: `
    SELECT asked.place::int, t.version AS thresholds_version,
      t.overrides::text,
      p.version AS profile_version,
      CASE WHEN p.version <> asked.profile_version THEN p.packed END AS profile,
      p.traces_since, n.traces
    FROM unnest($1::text[], $2::text[], $3::int[], $4::int[], $5::int[]) WITH ORDINALITY
      AS asked (principal_id, agent_id, thresholds_version, profile_version, traced, place)
    LEFT JOIN LATERAL (
      SELECT o.version, o.overrides
      FROM threshold_override o WHERE o.principal_id = asked.principal_id OFFSET 0
    ) t ON t.version <> asked.thresholds_version
    LEFT JOIN LATERAL (
      SELECT a.version, a.packed, a.traces_since
      FROM agent_profile a WHERE a.agent_id = asked.agent_id OFFSET 0
    ) p ON p.version <> asked.profile_version OR p.version <> asked.traced
    LEFT JOIN LATERAL (
      SELECT string_agg(concat_ws(',', k.version, k.approved::int, k.decided_at, k.name, k.packed),
        '],[' ORDER BY k.version) AS traces
      FROM agent_trace k
      WHERE p.version <> asked.traced AND k.agent_id = asked.agent_id
        AND k.version > CASE WHEN p.traces_since > asked.traced THEN 0 ELSE asked.traced END
      OFFSET 0
    ) n ON true
    WHERE t.version IS NOT NULL OR p.version IS NOT NULL`,
} as const;

export const profileSql = {
  // Advisory locks, since a new agent has no row to lock. Sorted, so that replicas cannot
  // deadlock.
  lockAgents: {
    name: 'lock_agents',
    text: `
      SELECT count(pg_advisory_xact_lock(key))
      FROM (
        SELECT DISTINCT hashtextextended(agent_id, 0) AS key
        FROM unnest($1::text[]) AS agent_id ORDER BY key
      ) AS keys`,
  },
  /**
   * Reads what is newer than the cache: $1 agents with $2 the cached versions of their profiles,
   * $3 Principals, whose thresholds decide promotions, with $4 the cached versions of these, and
   * $5 authorizations. Planned like `stateSql`.
   */
  read: {
    name: 'read_profiles',
    text: `
      SELECT 'profile' AS kind, agent_id AS id, p.version, p.packed AS content
      FROM unnest($1::text[], $2::int[]) AS asked (agent_id, version), LATERAL (
        SELECT a.version, a.packed
        FROM agent_profile a WHERE a.agent_id = asked.agent_id OFFSET 0
      ) p WHERE p.version <> asked.version
      UNION ALL
      SELECT 'thresholds', principal_id, t.version, t.overrides::text
      FROM unnest($3::text[], $4::int[]) AS asked (principal_id, version), LATERAL (
        SELECT o.version, o.overrides
        FROM threshold_override o WHERE o.principal_id = asked.principal_id OFFSET 0
      ) t WHERE t.version <> asked.version
      UNION ALL
      SELECT 'entry', authorization_id, 0, e.packed
      FROM unnest($5::text[]) AS asked (authorization_id), LATERAL (
        SELECT k.packed
        FROM profile_entry k WHERE k.authorization_id = asked.authorization_id OFFSET 0
      ) e`,
  },
  // $1 to $3 profiles, $4 to $6 entries, $7 to $9 known merchants, most of which exist already.
  // $10 to $15 traces. $16 for each profile the version with which traces were last removed, or 0.
  write: {
    name: 'write_profiles',
    text: `
      WITH profiles AS (
        INSERT INTO agent_profile AS s (agent_id, version, packed, traces_since)
        SELECT * FROM unnest($1::text[], $2::int[], $3::text[], $16::int[])
        ON CONFLICT (agent_id) DO UPDATE SET
          version = excluded.version, packed = excluded.packed,
          traces_since = greatest(s.traces_since, excluded.traces_since)
      ), traces AS (
        INSERT INTO agent_trace (agent_id, version, approved, decided_at, name, packed)
        SELECT t.a, t.v, t.y::boolean, t.d::bigint, t.n::bigint, t.p
        FROM unnest($10::text[], $11::int[], $12::text[], $13::text[], $14::text[], $15::text[])
          AS t (a, v, y, d, n, p)
      ), merchants AS (
        INSERT INTO agent_merchant (agent_id, merchant, authorization_id)
        SELECT * FROM unnest($7::text[], $8::text[], $9::text[])
        ON CONFLICT DO NOTHING
      )
      INSERT INTO profile_entry (authorization_id, agent_id, packed)
      SELECT * FROM unnest($4::text[], $5::text[], $6::text[])
      ON CONFLICT (authorization_id) DO UPDATE SET
        agent_id = excluded.agent_id, packed = excluded.packed`,
  },
  // Like `write`, but only if the cache was current: see the database function. $1 to $4 profiles,
  // $5 and $6 thresholds, $7 to $9 entries, $10 to $12 merchants, $13 to $18 traces, $19 the agents
  // whose traces are trimmed.
  writeAtOnce: {
    name: 'learn_at_once',
    text: `
      SELECT learn_at_once($1::text[], $2::int[], $3::int[], $4::text[], $5::text[], $6::int[],
        $7::text[], $8::text[], $9::text[], $10::text[], $11::text[], $12::text[],
        $13::text[], $14::int[], $15::text[], $16::text[], $17::text[], $18::text[],
        $19::text[]) AS written`,
  },
  /** For GetAgentProfiles: $1 agents. */
  find: `
    SELECT agent_id, packed AS content
    FROM agent_profile WHERE agent_id = ANY($1::text[])`,
} as const;

/** Each call concerns few agents, with a few hundred rows each. */
export const traceSql = {
  trim: 'SELECT trim_traces($1::text[])',
  remove: `
    DELETE FROM agent_trace t USING unnest($1::text[], $2::text[]) AS back (agent_id, name)
    WHERE t.agent_id = back.agent_id AND t.name = back.name::bigint`,
} as const;

/** Both probe the primary key: $1 an agent and $2 a merchant, or lists of both. */
export const merchantSql = {
  find: {
    name: 'known_merchant',
    text: 'SELECT FROM agent_merchant WHERE agent_id = $1 AND merchant = $2',
  },
  remove: `
    DELETE FROM agent_merchant m USING unnest($1::text[], $2::text[], $3::text[])
      AS back (agent_id, merchant, authorization_id)
    WHERE m.agent_id = back.agent_id AND m.merchant = back.merchant
      AND m.authorization_id = back.authorization_id`,
} as const;
