-- What payments of an agent are compared with: a row for each judged authorization, of the latest
-- ones; an agent has some 330 at most. "version" is the one that its profile had with the
-- authorization, so who holds what was known as of a version asks for the rows of later ones only.
CREATE TABLE "agent_trace" (
    "agent_id" TEXT NOT NULL,
    "version" INTEGER NOT NULL,
    "approved" BOOLEAN NOT NULL,
    "decided_at" BIGINT NOT NULL,
    "name" BIGINT NOT NULL,
    "packed" TEXT NOT NULL,

    CONSTRAINT "agent_trace_pkey" PRIMARY KEY ("agent_id","version")
);

-- The version with which a row was last taken back: whoever holds an older one begins anew. The
-- release before neither reads nor writes it, nor any trace.
ALTER TABLE "agent_standing" ADD COLUMN "traces_since" INTEGER NOT NULL DEFAULT 0;

-- As the function of the release before, which still calls that one. In addition it adds traces, and
-- of the agents in "full" it keeps only the latest: 200 that were approved and 64 that were not
-- (src/anomaly/baseline.ts has the same numbers).
CREATE FUNCTION "learn_at_once"(
  agents TEXT[], held INT[], versions INT[], states TEXT[],
  principals TEXT[], thresholds INT[],
  authorizations TEXT[], agents_of TEXT[], entries TEXT[],
  patrons TEXT[], merchants TEXT[], firsts TEXT[],
  traced TEXT[], traced_with INT[], approved TEXT[], decided TEXT[], names TEXT[], traces TEXT[],
  "full" TEXT[]
) RETURNS BOOLEAN LANGUAGE plpgsql AS $$
BEGIN
  IF NOT learn_at_once(agents, held, versions, states, principals, thresholds,
    authorizations, agents_of, entries, patrons, merchants, firsts)
  THEN
    RETURN false;
  END IF;
  INSERT INTO agent_trace (agent_id, version, approved, decided_at, name, packed)
  SELECT t.a, t.v, t.y::boolean, t.d::bigint, t.n::bigint, t.p
  FROM unnest(traced, traced_with, approved, decided, names, traces) AS t (a, v, y, d, n, p);
  IF cardinality("full") > 0 THEN
    PERFORM trim_traces("full");
  END IF;
  RETURN true;
END
$$;

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

-- Where the processes own nothing, they may write what they may write beside it.
DO $$
DECLARE
  writer record;
BEGIN
  FOR writer IN
    SELECT grantee FROM information_schema.role_table_grants
    WHERE table_schema = current_schema() AND table_name = 'agent_merchant'
      AND privilege_type = 'INSERT' AND grantee <> 'PUBLIC'
  LOOP
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON agent_trace TO %I', writer.grantee);
  END LOOP;
END $$;
