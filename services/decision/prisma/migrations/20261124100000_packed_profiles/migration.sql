-- Profiles and entries are written as packed text (src/profile/packed-state.ts, packed-entry.ts): a
-- third of the length, and nothing that PostgreSQL has to parse. Nothing is rewritten here: a row of
-- an earlier release keeps its "state" or "entry" until it is written the next time, and both forms
-- are read.
--
-- A release before this one that still runs beside it reads every profile as it always did, through
-- the view, so its decisions are right. It cannot learn any more: it does not find "entry", hands
-- the events back to the bus, and they come again until a replica of this release takes them. So
-- nothing is lost and nothing learnt twice, but profiles and levels stand still until one is there,
-- also where the release before is put back: the bus keeps what waits for a week.
ALTER TABLE "agent_profile" RENAME TO "agent_standing";
ALTER TABLE "agent_standing" RENAME CONSTRAINT "agent_profile_pkey" TO "agent_standing_pkey";
ALTER TABLE "agent_standing" ADD COLUMN "packed" TEXT;
ALTER TABLE "agent_standing" ALTER COLUMN "state" DROP NOT NULL;
ALTER TABLE "agent_standing" DROP COLUMN "updated_at";
-- Every event of an agent writes its row anew: with room on the page no index has to be told.
ALTER TABLE "agent_standing" SET (fillfactor = 60);

ALTER TABLE "profile_entry" ADD COLUMN "packed" TEXT;
ALTER TABLE "profile_entry" RENAME COLUMN "entry" TO "unpacked";
ALTER TABLE "profile_entry" ALTER COLUMN "unpacked" DROP NOT NULL;
ALTER TABLE "profile_entry" DROP COLUMN "updated_at";

-- Only for the release before: a packed state as it knows it.
CREATE FUNCTION "unpacked_state"("packed" TEXT) RETURNS JSONB
LANGUAGE sql IMMUTABLE AS $$
  SELECT jsonb_build_object(
    'asOf', s -> 0,
    'decayed', jsonb_build_object(
      'complianceGood', s -> 1 -> 0, 'complianceBad', s -> 1 -> 1,
      'outcomeGood', s -> 1 -> 2, 'outcomeBad', s -> 1 -> 3,
      'consistencySum', s -> 1 -> 4, 'consistencyCount', s -> 1 -> 5,
      'approvals', s -> 1 -> 6, 'verifiedApprovals', s -> 1 -> 7,
      'chargeable', s -> 1 -> 8, 'chargebacks', s -> 1 -> 9),
    'totals', jsonb_build_object('total', s -> 2 -> 0, 'approved', s -> 2 -> 1,
      'declined', s -> 2 -> 2, 'successful', s -> 2 -> 3),
    'score', CASE WHEN jsonb_typeof(s -> 3) = 'array'
      THEN jsonb_build_object('value', s -> 3 -> 0, 'at', s -> 3 -> 1) END,
    'seen', jsonb_build_object('trustLevel', s -> 4 -> 0, 'agentCreatedAt', s -> 4 -> 1,
      'principalVerified', s -> 4 -> 2, 'keyRegistered', s -> 4 -> 3),
    'outcomeCounts', coalesce(s -> 6, '{}'),
    'marks', '{"fraud":[],"unauthorized":[],"chargeback":[],"keyFailure":[]}'
      || coalesce(s -> 7, '{}'))
    || CASE WHEN jsonb_typeof(s -> 5) = 'array'
      THEN jsonb_build_object('trust',
        jsonb_build_object('level', s -> 5 -> 0, 'toldAt', s -> 5 -> 1))
      ELSE '{}' END
  FROM (SELECT "packed"::jsonb AS s) AS parsed
$$;

CREATE VIEW "agent_profile" AS
  SELECT "agent_id", "version",
    CASE WHEN "packed" IS NULL THEN "state" ELSE "unpacked_state"("packed") END AS "state"
  FROM "agent_standing";

-- Writes what was learnt from memory alone, in one statement and transaction, where memory was up to
-- date: false, and nothing is written, where somebody else was the last to write one of the profiles
-- or thresholds, or where an authorization has an entry already. "held" and "thresholds" are the
-- versions that were in memory, 0 for none. Each statement here sees what was committed before it,
-- so what is compared is what the locks keep as it is.
CREATE FUNCTION "learn_at_once"(
  agents TEXT[], held INT[], versions INT[], states TEXT[],
  principals TEXT[], thresholds INT[],
  authorizations TEXT[], agents_of TEXT[], entries TEXT[],
  patrons TEXT[], merchants TEXT[], firsts TEXT[]
) RETURNS BOOLEAN LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(key)
  FROM (SELECT DISTINCT hashtextextended(name, 0) AS key FROM unnest(agents) AS name ORDER BY key)
    AS keys;
  IF EXISTS (
    SELECT FROM unnest(agents, held) AS asked (agent_id, version) LEFT JOIN LATERAL (
      SELECT s.version FROM agent_standing s WHERE s.agent_id = asked.agent_id OFFSET 0
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
    INSERT INTO agent_standing AS s (agent_id, version, packed)
    SELECT * FROM unnest(agents, versions, states)
    ON CONFLICT (agent_id) DO UPDATE SET
      version = excluded.version, packed = excluded.packed, state = NULL
  ), known AS (
    INSERT INTO agent_merchant (agent_id, merchant, authorization_id)
    SELECT * FROM unnest(patrons, merchants, firsts) ON CONFLICT DO NOTHING
  )
  INSERT INTO profile_entry (authorization_id, agent_id, packed)
  SELECT * FROM unnest(authorizations, agents_of, entries);
  RETURN true;
END
$$;
