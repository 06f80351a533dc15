-- What keys were answered before: a row for each that is on record, which says by `place`, counted
-- from 1, which question it answers, and whether it was asked with the same body. What the commit
-- of a batch finds out under its locks, for those who have no decision to lay before it.
CREATE FUNCTION find_replays(principals text[], keys text[], bodies text[])
RETURNS TABLE (place int, same_body boolean, answer text)
LANGUAGE plpgsql STABLE
SET enable_seqscan = off
SET enable_bitmapscan = off
SET plan_cache_mode = force_generic_plan
SET jit = off
AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
    SELECT asked.place::int, coalesce(given.same_body, known.body_hash = asked.body),
      coalesce(given.answer, known.answer)
    FROM unnest(principals, keys, bodies) WITH ORDINALITY AS asked (principal, key, body, place)
    CROSS JOIN LATERAL (
      SELECT r.id, r.answer, r.body_hash FROM authorization_record r
      WHERE r.principal_id = asked.principal AND r.idempotency_key = asked.key
      OFFSET 0
    ) known
    CROSS JOIN LATERAL given_answer(asked.principal, asked.key, known.id, asked.body) given;
END $$;
