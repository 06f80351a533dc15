/** What a decision needs of this service's own database, in one round trip. */
export const knownSql = {
  name: 'known',
  // Two primary-key look-ups hung on one row of parameters, so that absence is a null, not no row.
  text: `
    SELECT t.overrides, p.version AS profile_version, p.state AS profile_state
    FROM (SELECT $1::text AS principal_id, $2::text AS agent_id) AS asked
    LEFT JOIN threshold_override t USING (principal_id)
    LEFT JOIN agent_profile p USING (agent_id)`,
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
