-- Gives back what an approval reserved, in the windows in which it was reserved and in no other.
-- `wanted` null gives back all that is left, and the count; else that amount, and the count stays.
-- Outcomes: reversed, already_reversed, nothing_reserved, exceeds (`released` is then what is
-- left). A repeat by its id gets the same answer. The lock on the usage row puts reversals of a
-- mandate and its commits in one order. What was voided holds nothing any more. Without
-- `event_format` no event is left, since the caller has its own; nor is one for a count alone,
-- because the event is about an amount.
CREATE FUNCTION reverse_authorization(
  of_authorization text, reversal_id text, wanted numeric, reason text, requested_by text,
  at timestamptz, event_id text, event_format text
) RETURNS TABLE (outcome text, released text, partial boolean)
LANGUAGE plpgsql
SET enable_seqscan = off
SET enable_bitmapscan = off
SET jit = off
AS $$
#variable_conflict use_variable
DECLARE
  r authorization_record;
  u mandate_usage;
  same reversal;
  reserved_day text;
  before numeric;
  count_gone boolean;
  rest numeric;
  give numeric;
  give_count boolean;
BEGIN
  SELECT * INTO STRICT r FROM authorization_record ar WHERE ar.id = of_authorization;
  SELECT * INTO u FROM mandate_usage mu WHERE mu.mandate_id = r.mandate_id FOR UPDATE;
  reserved_day := coalesce(r.counted_day, (
    SELECT a.counted_day FROM step_up_answer a WHERE a.authorization_id = of_authorization
  ));
  IF reserved_day IS NULL
    OR EXISTS (SELECT FROM system_void v WHERE v.authorization_id = of_authorization) THEN
    RETURN QUERY SELECT 'nothing_reserved', '0', false;
    RETURN;
  END IF;

  SELECT * INTO same FROM reversal rv WHERE rv.id = reversal_id;
  IF FOUND THEN
    RETURN QUERY SELECT CASE WHEN same.amount > 0 THEN 'reversed' ELSE 'already_reversed' END,
      round(same.amount, r.exponent)::text, same.partial;
    RETURN;
  END IF;

  SELECT coalesce(sum(rv.amount), 0), coalesce(bool_or(rv.count_released), false)
  INTO before, count_gone
  FROM reversal rv WHERE rv.authorization_id = of_authorization;
  rest := r.amount - before;
  give := CASE WHEN rest = 0 THEN 0 ELSE coalesce(wanted, rest) END;
  give_count := wanted IS NULL AND NOT count_gone;
  IF give > rest THEN
    RETURN QUERY SELECT 'exceeds', round(rest, r.exponent)::text, false;
    RETURN;
  END IF;

  IF give > 0 OR give_count THEN
    INSERT INTO reversal (
      id, authorization_id, amount, count_released, partial, reason, requested_by, created_at
    ) VALUES (
      reversal_id, of_authorization, give, give_count, wanted IS NOT NULL, reason, requested_by, at
    );
    UPDATE mandate_usage mu SET
      day_amount = mu.day_amount - CASE WHEN mu.day = reserved_day THEN give ELSE 0 END,
      day_count = mu.day_count - CASE WHEN mu.day = reserved_day AND give_count THEN 1 ELSE 0 END,
      month_amount = mu.month_amount
        - CASE WHEN mu.month = left(reserved_day, 7) THEN give ELSE 0 END,
      month_count = mu.month_count
        - CASE WHEN mu.month = left(reserved_day, 7) AND give_count THEN 1 ELSE 0 END
    WHERE mu.mandate_id = r.mandate_id;
  END IF;
  IF give = 0 THEN
    RETURN QUERY SELECT 'already_reversed', round(0, r.exponent)::text, false;
    RETURN;
  END IF;
  IF event_format IS NOT NULL THEN
    INSERT INTO outbox (event_id, type, payload)
    VALUES (event_id, 'authorization.amended', format(event_format, round(give, r.exponent)));
  END IF;
  RETURN QUERY SELECT 'reversed', round(give, r.exponent)::text, wanted IS NOT NULL;
END $$;

-- Puts an answer that was given into its place, whatever the ledger had decided meanwhile. `p` is
-- the fail-safe DECLINE as a proposal. Outcomes:
-- absent       neither id nor key is on record: it can be recorded as it is
-- keyless      another id has the key, but was decided after this answer: to be recorded without
--              the key, and then to be settled again
-- replayed     it is on record, byte for byte; or the key had its answer before, which is returned
-- key_reused   the key had its answer before, and to another body
-- recorded     another decision stood under this id: it is voided, and this is its answer now
-- id_taken     the id is another principal's
CREATE FUNCTION settle_given_answer(
  proposals proposal[], reversal_id text, at timestamptz, voided_event_id text,
  voided_event text, decline_event_id text, decline_event text
) RETURNS TABLE (outcome text, answer text)
LANGUAGE plpgsql
SET enable_seqscan = off
SET enable_bitmapscan = off
SET jit = off
AS $$
#variable_conflict use_variable
DECLARE
  p constant proposal := proposals[1];
  answered_at constant timestamptz := p.decided_at::timestamptz;
  text_given constant text := format(p.answer_format, 0, 0, 0, 0, 0, 0);
  r authorization_record;
  holder authorization_record;
  stood text;
BEGIN
  SELECT * INTO r FROM authorization_record ar WHERE ar.id = p.id;
  IF FOUND AND r.principal_id <> p.principal_id THEN
    RETURN QUERY SELECT 'id_taken', NULL::text;
    RETURN;
  END IF;

  -- Whose is the key: first by the answers that were given, then by the records.
  SELECT ar.* INTO holder FROM authorization_record ar
  WHERE ar.principal_id = p.principal_id AND ar.idempotency_key = p.idempotency_key;
  IF FOUND AND holder.id <> p.id THEN
    IF EXISTS (
      SELECT FROM first_answer f
      WHERE f.principal_id = p.principal_id AND f.idempotency_key = p.idempotency_key
        AND f.answered_at <= answered_at AND f.authorization_id <> p.id
    ) OR holder.created_at <= answered_at THEN
      -- The key had been answered: this one could not be looked up, and replaces nothing.
      IF r.id IS NULL THEN
        RETURN QUERY SELECT CASE WHEN coalesce(g.same_body, holder.body_hash = p.body_hash)
            THEN 'replayed' ELSE 'key_reused' END, coalesce(g.answer, replayed_answer(holder))
          FROM given_answer(p.principal_id, p.idempotency_key, holder.id, p.body_hash) g;
        RETURN;
      END IF;
    ELSIF r.id IS NULL THEN
      RETURN QUERY SELECT 'keyless', NULL::text;
      RETURN;
    ELSE
      INSERT INTO first_answer (authorization_id, principal_id, idempotency_key, answered_at)
      VALUES (p.id, p.principal_id, p.idempotency_key, answered_at)
      ON CONFLICT (authorization_id) DO NOTHING;
    END IF;
  END IF;
  IF r.id IS NULL THEN
    RETURN QUERY SELECT 'absent', NULL::text;
    RETURN;
  END IF;

  -- Challenge, then usage: the order of every function that holds both.
  PERFORM FROM pending_step_up s WHERE s.authorization_id = p.id FOR UPDATE;
  PERFORM FROM mandate_usage mu WHERE mu.mandate_id = r.mandate_id FOR UPDATE;
  stood := coalesce(
    (SELECT v.answer FROM system_void v WHERE v.authorization_id = p.id), r.answer
  );
  IF stood = text_given OR stood <> r.answer THEN
    RETURN QUERY SELECT 'replayed', stood;
    RETURN;
  END IF;

  PERFORM reverse_authorization(
    p.id, reversal_id, NULL, 'SYSTEM_FAIL_SAFE', 'system', at, voided_event_id, NULL
  );
  DELETE FROM pending_step_up s WHERE s.authorization_id = p.id;
  INSERT INTO system_void (authorization_id, answer, facts, answered_at, created_at)
  VALUES (p.id, text_given, p.facts, answered_at, at);
  -- Where the ledger had failed safe too, and only in other words, nothing has changed for anybody.
  IF r.reason_codes <> ARRAY['SYSTEM_FAIL_SAFE'] THEN
    INSERT INTO outbox (event_id, type, payload) VALUES
      (voided_event_id, 'authorization.amended',
        format(voided_event, coalesce(to_json(r.agent_id)::text, 'null'), to_json(r.client_id),
          to_json(round(r.amount, r.exponent)::text), to_json(r.currency))),
      (decline_event_id, 'authorization.recorded', decline_event);
  END IF;
  RETURN QUERY SELECT 'recorded', text_given;
END $$;
