/**
 * What decisions need of this service's own database: $1 principals and $2 agents, one pair a
 * decision, answered in their order; $3 and $4 the versions of thresholds and profile that the
 * process has already, whose content is not sent again.
 *
 * Plan: for each pair a primary-key probe of either table. OFFSET 0 keeps each probe a subquery of
 * its own, so that no statistics can turn this into a scan of a table that grows.
 */
export const knownSql = {
  name: 'known',
  text: `
    SELECT t.version AS thresholds_version, t.overrides, p.version AS profile_version, p.state
    FROM unnest($1::text[], $2::text[], $3::int[], $4::int[]) WITH ORDINALITY
      AS asked (principal_id, agent_id, thresholds_version, profile_version, place)
    LEFT JOIN LATERAL (
      SELECT o.version,
        CASE WHEN o.version <> asked.thresholds_version THEN o.overrides END AS overrides
      FROM threshold_override o WHERE o.principal_id = asked.principal_id OFFSET 0
    ) t ON true
    LEFT JOIN LATERAL (
      SELECT a.version, CASE WHEN a.version <> asked.profile_version THEN a.state END AS state
      FROM agent_profile a WHERE a.agent_id = asked.agent_id OFFSET 0
    ) p ON true
    ORDER BY asked.place`,
} as const;

export const profileSql = {
  // A new agent has no row that could be locked, so its name is. In one order for all replicas.
  lockAgents: `
    SELECT pg_advisory_xact_lock(key)
    FROM (
      SELECT DISTINCT hashtextextended(agent_id, 0) AS key
      FROM unnest($1::text[]) AS agent_id ORDER BY key
    ) AS keys`,
  readProfiles: `
    SELECT agent_id, version, state FROM agent_profile WHERE agent_id = ANY($1::text[])`,
  // $1 principals of the events: what promotes an agent is theirs to set.
  readOverrides: `
    SELECT principal_id, overrides FROM threshold_override WHERE principal_id = ANY($1::text[])`,
  readEntries: `
    SELECT authorization_id, agent_id, entry FROM profile_entry
    WHERE authorization_id = ANY($1::text[])`,
  writeProfiles: `
    INSERT INTO agent_profile (agent_id, version, state)
    SELECT * FROM unnest($1::text[], $2::int[], $3::jsonb[])
    ON CONFLICT (agent_id) DO UPDATE SET
      version = excluded.version, state = excluded.state,
      updated_at = now()`,
  writeEntries: `
    INSERT INTO profile_entry (authorization_id, agent_id, entry)
    SELECT * FROM unnest($1::text[], $2::text[], $3::jsonb[])
    ON CONFLICT (authorization_id) DO UPDATE SET
      agent_id = excluded.agent_id, entry = excluded.entry, updated_at = now()`,
} as const;

/** Each is a probe of the primary key for an agent and a merchant: $1 and $2, or pairs of them. */
export const merchantSql = {
  find: {
    name: 'known_merchant',
    text: 'SELECT FROM agent_merchant WHERE agent_id = $1 AND merchant = $2',
  },
  // Mostly known already: then nothing is written.
  add: `
    INSERT INTO agent_merchant (agent_id, merchant, authorization_id)
    SELECT * FROM unnest($1::text[], $2::text[], $3::text[])
    ON CONFLICT DO NOTHING`,
  remove: `
    DELETE FROM agent_merchant m USING unnest($1::text[], $2::text[], $3::text[])
      AS back (agent_id, merchant, authorization_id)
    WHERE m.agent_id = back.agent_id AND m.merchant = back.merchant
      AND m.authorization_id = back.authorization_id`,
} as const;
