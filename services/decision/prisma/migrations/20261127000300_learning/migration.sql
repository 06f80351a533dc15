-- Profiles and entries are written as packed text (src/profile/packed-state.ts, packed-entry.ts): a
-- third of the length of JSON with names, and nothing that PostgreSQL has to parse.

-- By the index and by where the rows are, whatever the statistics say: of an agent that pays very
-- often most rows are dead ones, and a look at the whole table costs a hundred times as much.
CREATE FUNCTION "trim_traces"(agents TEXT[]) RETURNS VOID LANGUAGE sql
SET enable_seqscan = off AS $$
  DELETE FROM agent_trace WHERE ctid = ANY (ARRAY(
    SELECT ranked.at_place FROM (
      SELECT t.at_place, t.approved, row_number() OVER (
        PARTITION BY asked.agent_id, t.approved ORDER BY t.decided_at DESC, t.name DESC) AS place
      FROM unnest(agents) AS asked (agent_id), LATERAL (
        SELECT k.ctid AS at_place, k.approved, k.decided_at, k.name
        FROM agent_trace k WHERE k.agent_id = asked.agent_id OFFSET 0
      ) t
    ) ranked
    WHERE ranked.place > CASE WHEN ranked.approved THEN 200 ELSE 64 END))
$$;

-- Writes what was learnt from memory alone, in one statement and transaction, where memory was up to
-- date: false, and nothing is written, where somebody else was the last to write one of the profiles
-- or thresholds, or where an authorization has an entry already. "held" and "thresholds" are the
-- versions that were in memory, 0 for none. Each statement here sees what was committed before it,
-- so what is compared is what the locks keep as it is. Of the agents in "full" only the latest traces
-- are kept: 200 that were approved and 64 that were not (src/anomaly/baseline.ts has the same
-- numbers).
CREATE FUNCTION "learn_at_once"(
  agents TEXT[], held INT[], versions INT[], states TEXT[],
  principals TEXT[], thresholds INT[],
  authorizations TEXT[], agents_of TEXT[], entries TEXT[],
  patrons TEXT[], merchants TEXT[], firsts TEXT[],
  traced TEXT[], traced_with INT[], approved TEXT[], decided TEXT[], names TEXT[], traces TEXT[],
  "full" TEXT[]
) RETURNS BOOLEAN LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(key)
  FROM (SELECT DISTINCT hashtextextended(name, 0) AS key FROM unnest(agents) AS name ORDER BY key)
    AS keys;
  IF EXISTS (
    SELECT FROM unnest(agents, held) AS asked (agent_id, version) LEFT JOIN LATERAL (
      SELECT s.version FROM agent_profile s WHERE s.agent_id = asked.agent_id OFFSET 0
    ) s ON true WHERE coalesce(s.version, 0) <> asked.version
  ) OR EXISTS (
    SELECT FROM unnest(principals, thresholds) AS asked (principal_id, version), LATERAL (
      SELECT o.version FROM threshold_override o
      WHERE o.principal_id = asked.principal_id OFFSET 0
    ) o WHERE o.version <> asked.version
  ) OR EXISTS (
    SELECT FROM unnest(authorizations) AS asked (id), LATERAL (
      SELECT FROM profile_entry e WHERE e.authorization_id = asked.id OFFSET 0
    ) e
  ) THEN
    RETURN false;
  END IF;
  WITH profiles AS (
    INSERT INTO agent_profile AS s (agent_id, version, packed)
    SELECT * FROM unnest(agents, versions, states)
    ON CONFLICT (agent_id) DO UPDATE SET
      version = excluded.version, packed = excluded.packed
  ), known AS (
    INSERT INTO agent_merchant (agent_id, merchant, authorization_id)
    SELECT * FROM unnest(patrons, merchants, firsts) ON CONFLICT DO NOTHING
  )
  INSERT INTO profile_entry (authorization_id, agent_id, packed)
  SELECT * FROM unnest(authorizations, agents_of, entries);
  INSERT INTO agent_trace (agent_id, version, approved, decided_at, name, packed)
  SELECT t.a, t.v, t.y::boolean, t.d::bigint, t.n::bigint, t.p
  FROM unnest(traced, traced_with, approved, decided, names, traces) AS t (a, v, y, d, n, p);
  IF cardinality("full") > 0 THEN
    PERFORM trim_traces("full");
  END IF;
  RETURN true;
END
$$;
