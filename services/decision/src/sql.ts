/**
 * What decisions need of this service's own database: $1 principals and $2 agents, one pair a
 * decision, answered in their order.
 *
 * Plan: for each pair a primary-key probe of either table. OFFSET 0 keeps each probe a subquery of
 * its own, so that no statistics can turn this into a scan of a table that grows.
 */
export const knownSql = {
  name: 'known',
  text: `
    SELECT t.overrides, p.version AS profile_version, p.state AS profile_state
    FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS asked (principal_id, agent_id, place)
    LEFT JOIN LATERAL (
      SELECT o.overrides FROM threshold_override o
      WHERE o.principal_id = asked.principal_id OFFSET 0
    ) t ON true
    LEFT JOIN LATERAL (
      SELECT a.version, a.state FROM agent_profile a WHERE a.agent_id = asked.agent_id OFFSET 0
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
    SELECT agent_id, version, state, kya_score FROM agent_profile WHERE agent_id = ANY($1::text[])`,
  readEntries: `
    SELECT authorization_id, agent_id, entry FROM profile_entry
    WHERE authorization_id = ANY($1::text[])`,
  writeProfiles: `
    INSERT INTO agent_profile (agent_id, version, state, kya_score)
    SELECT * FROM unnest($1::text[], $2::int[], $3::jsonb[], $4::float8[])
    ON CONFLICT (agent_id) DO UPDATE SET
      version = excluded.version, state = excluded.state,
      kya_score = excluded.kya_score, updated_at = now()`,
  writeEntries: `
    INSERT INTO profile_entry (authorization_id, agent_id, entry)
    SELECT * FROM unnest($1::text[], $2::text[], $3::jsonb[])
    ON CONFLICT (authorization_id) DO UPDATE SET
      agent_id = excluded.agent_id, entry = excluded.entry, updated_at = now()`,
} as const;
