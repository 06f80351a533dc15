-- Answers on record, and those that the edge gave by itself; see
-- docs/decisions/0007-answers-that-were-given-elsewhere.md.

-- An answer is stored as a list of values, without what its record has in columns
-- (packages/kernel/src/packed-answer.ts). Whoever looks an answer up by itself needs the columns with
-- it: they precede the list. The names are those of AnswerColumns. An answer that is stored as it was
-- sent begins with a brace, and is returned as it is.
CREATE FUNCTION replayed_answer(r authorization_record) RETURNS text
LANGUAGE sql STABLE
AS $$
  SELECT CASE WHEN r.answer NOT LIKE '[%' THEN r.answer ELSE
    '[' || json_build_object(
      'id', r.id, 'transactionId', r.transaction_id, 'correlationKey', r.correlation_key,
      'principalId', r.principal_id, 'agentId', r.agent_id, 'mandateId', r.mandate_id,
      'mandateHash', r.mandate_hash, 'decision', r.decision, 'reasonCodes', r.reason_codes,
      'currency', r.currency, 'rail', r.rail, 'mcc', r.mcc, 'country', r.country,
      'merchantId', r.merchant_id, 'kyaScore', r.kya_score, 'trustLevel', r.trust_level,
      'riskScore', r.risk_score, 'viVerified', r.vi_verified,
      'processingTimeMs', r.processing_time_ms
    ) || ',' || r.answer || ']'
  END
$$;

-- What a replay of a record must be answered where that is not the record's own answer: the answer
-- that the key got first, if that was another's (`same_body` says whether to this body), and what
-- was answered instead of a decision that was voided. No row, or nulls, where the record's holds.
CREATE FUNCTION given_answer(
  of_principal text, of_key text, of_authorization text, of_body text
) RETURNS TABLE (answer text, same_body boolean)
LANGUAGE plpgsql STABLE
SET enable_seqscan = off
SET enable_bitmapscan = off
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  first_id text;
  body text;
BEGIN
  first_id := (
    SELECT f.authorization_id FROM first_answer f
    WHERE f.principal_id = of_principal AND f.idempotency_key = of_key
    ORDER BY f.answered_at, f.authorization_id LIMIT 1
  );
  IF first_id IS NOT NULL THEN
    SELECT replayed_answer(r), r.body_hash INTO answer, body FROM authorization_record r
    WHERE r.id = first_id;
    same_body := body = of_body;
  END IF;
  answer := coalesce((
    SELECT v.answer FROM system_void v
    WHERE v.authorization_id = coalesce(first_id, of_authorization)
  ), answer);
  RETURN NEXT;
END $$;

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
      SELECT r.id, replayed_answer(r) AS answer, r.body_hash FROM authorization_record r
      WHERE r.principal_id = asked.principal AND r.idempotency_key = asked.key
      OFFSET 0
    ) known
    CROSS JOIN LATERAL given_answer(asked.principal, asked.key, known.id, asked.body) given;
END $$;
