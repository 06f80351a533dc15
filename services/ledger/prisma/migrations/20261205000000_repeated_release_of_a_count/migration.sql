-- A reversal of an authorization whose whole amount has been given back already releases its count,
-- and answers already_reversed. Sent again with the same id, it answered reversed.

-- Gives back what an approval reserved, in the windows in which it was reserved and in no other.
-- `wanted` null gives back all that is left, and the count; else that amount, and the count stays.
-- Outcomes: reversed, already_reversed, nothing_reserved, exceeds (`released` is then what is
-- left). A repeat by its id gets the same answer. The lock on the usage row puts reversals of a
-- mandate and its commits in one order. What was voided holds nothing any more. Without
-- `event_format` no event is left, since the caller has its own; nor is one for a count alone,
-- because the event is about an amount.
CREATE OR REPLACE FUNCTION reverse_authorization(
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
