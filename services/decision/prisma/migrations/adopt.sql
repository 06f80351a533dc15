-- from 20261125200000_agent_traces to 20261127000200_unpublished

-- What only versions from before used.
DROP TRIGGER follow_publishing ON outbox;
DROP FUNCTION follow_publishing();
DROP INDEX outbox_waiting;

DROP VIEW agent_profile;
DROP FUNCTION unpacked_state(text);
ALTER TABLE agent_standing RENAME TO agent_profile;
ALTER TABLE agent_profile RENAME CONSTRAINT agent_standing_pkey TO agent_profile_pkey;
-- Both forms are read (src/profile/packed-state.ts, packed-entry.ts).
UPDATE agent_profile SET packed = state::text WHERE packed IS NULL;
ALTER TABLE agent_profile DROP COLUMN state, ALTER COLUMN packed SET NOT NULL;
UPDATE profile_entry SET packed = unpacked::text WHERE packed IS NULL;
ALTER TABLE profile_entry DROP COLUMN unpacked, ALTER COLUMN packed SET NOT NULL;

-- 20261127000300_learning creates them again, as one function and without the columns above.
DROP FUNCTION learn_at_once(text[], int[], int[], text[], text[], int[], text[], text[], text[],
  text[], text[], text[]);
DROP FUNCTION learn_at_once(text[], int[], int[], text[], text[], int[], text[], text[], text[],
  text[], text[], text[], text[], int[], text[], text[], text[], text[], text[]);
DROP FUNCTION trim_traces(text[]);
