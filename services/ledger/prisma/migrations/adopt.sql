-- from 20261211000100_outbox_in_lz4 to 20261127001100_intent_counts

-- What only versions from before used.
DROP TRIGGER follow_publishing ON outbox;
DROP FUNCTION follow_publishing();
DROP INDEX outbox_unpublished;

DROP FUNCTION commit_proposals(proposal[], text[], text[], int[]);
DROP FUNCTION commit_proposals(proposal[], text[], text[], text[], text[], text[], text[], int[]);
DROP FUNCTION commit_proposals(proposal[], text[], text[], text[], text[], text[], text[], text[],
  text[], text[], int[], text[], text[]);

-- 20261127001200_intent creates them again, of which one called a function above.
DROP FUNCTION confirm_step_up_with_intent;
DROP FUNCTION commit_with_intent;
DROP FUNCTION bind_intent_subject;
DROP FUNCTION intent_use_codes;
DROP FUNCTION is_foreign_intent_subject;
