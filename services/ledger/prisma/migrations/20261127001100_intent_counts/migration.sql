-- What of a user's mandate is live is a sum that is kept, so that to look at it costs the same however
-- many uses there were; see docs/decisions/0016-intent-is-used-up-with-the-record.md.

-- What a use takes for as long as it is live, and until when that is: approvals and confirmed
-- challenges for ever, others until they expire, less what was reversed; what was denied or voided
-- is live no more. Every part is a probe of an index, for one use as for all of them.
CREATE VIEW intent_use_now AS
  SELECT u.authorization_id, u.mandate_key,
    CASE WHEN given_back.count_gone THEN 0 ELSE 1 END AS uses,
    round((r.amount - given_back.amount) * u.amount_minor / r.amount) AS spent_minor,
    CASE
      WHEN EXISTS (SELECT FROM system_void v WHERE v.authorization_id = u.authorization_id)
        THEN '-infinity'::timestamptz
      WHEN r.decision = 'APPROVE' OR answered.status = 'CONFIRMED' THEN 'infinity'
      WHEN answered.status IS NULL THEN coalesce(r.step_up_expires_at, '-infinity')
      ELSE '-infinity'
    END AS live_until
  FROM intent_use u
  CROSS JOIN LATERAL (
    SELECT ar.amount, ar.decision, ar.step_up_expires_at FROM authorization_record ar
    WHERE ar.id = u.authorization_id OFFSET 0
  ) r
  CROSS JOIN LATERAL (
    SELECT (
      SELECT a.status FROM step_up_answer a WHERE a.authorization_id = u.authorization_id
    ) AS status OFFSET 0
  ) answered
  CROSS JOIN LATERAL (
    SELECT coalesce(sum(rv.amount), 0) AS amount,
      coalesce(bool_or(rv.count_released), false) AS count_gone
    FROM reversal rv WHERE rv.authorization_id = u.authorization_id
  ) given_back;

-- Whatever can change what is live of a use says so in its own transaction. It adds a row and waits
-- for nobody: whoever counts may wait for the limits that this transaction holds.
CREATE FUNCTION await_recount() RETURNS trigger LANGUAGE plpgsql
SET enable_seqscan = off
SET enable_bitmapscan = off
AS $$
BEGIN
  INSERT INTO intent_recount (mandate_key, due_at, authorization_id)
  SELECT u.mandate_key, '-infinity', u.authorization_id FROM intent_use u
  WHERE u.authorization_id = NEW.authorization_id;
  RETURN NULL;
END $$;

CREATE TRIGGER await_recount AFTER INSERT ON intent_use
  FOR EACH ROW EXECUTE FUNCTION await_recount();
CREATE TRIGGER await_recount AFTER INSERT ON step_up_answer
  FOR EACH ROW EXECUTE FUNCTION await_recount();
CREATE TRIGGER await_recount AFTER INSERT ON reversal
  FOR EACH ROW EXECUTE FUNCTION await_recount();
CREATE TRIGGER await_recount AFTER INSERT ON system_void
  FOR EACH ROW EXECUTE FUNCTION await_recount();

-- What of a mandate of verifiable intent is live at `moment`, but for one authorization: the sum,
-- after the uses that something has happened to since the last look, and the challenges that have
-- expired since, were counted anew. Needs the lock of the mandate (1005): nobody else counts it.
CREATE FUNCTION live_intent_uses(
  of_mandate text, but_for text, moment timestamptz, OUT uses bigint, OUT spent_minor numeric
)
LANGUAGE plpgsql
SET enable_seqscan = off
SET enable_bitmapscan = off
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  due text[];
  changed record;
  more_uses bigint := 0;
  more_minor numeric := 0;
BEGIN
  WITH taken AS (
    DELETE FROM intent_recount q WHERE q.mandate_key = of_mandate AND q.due_at <= moment
    RETURNING q.authorization_id
  )
  SELECT array_agg(DISTINCT t.authorization_id) INTO due FROM taken t;

  -- In a later statement than the one above: this sees whatever was said there.
  FOR changed IN
    SELECT d.id, n.mandate_key, n.live_until,
      CASE WHEN n.live_until > moment THEN n.uses ELSE 0 END AS uses,
      CASE WHEN n.live_until > moment THEN n.spent_minor ELSE 0 END AS spent_minor,
      coalesce(c.uses, 0) AS uses_before, coalesce(c.spent_minor, 0) AS spent_before
    FROM unnest(due) AS d (id)
    CROSS JOIN LATERAL (
      SELECT * FROM intent_use_now un WHERE un.authorization_id = d.id OFFSET 0
    ) n
    LEFT JOIN LATERAL (
      SELECT ic.uses, ic.spent_minor FROM intent_counted ic
      WHERE ic.authorization_id = d.id OFFSET 0
    ) c ON true
  LOOP
    INSERT INTO intent_counted AS c VALUES (changed.id, changed.uses, changed.spent_minor)
    ON CONFLICT (authorization_id) DO UPDATE
      SET uses = EXCLUDED.uses, spent_minor = EXCLUDED.spent_minor;
    IF changed.live_until > moment AND changed.live_until < 'infinity' THEN
      INSERT INTO intent_recount (mandate_key, due_at, authorization_id)
      VALUES (of_mandate, changed.live_until, changed.id);
    END IF;
    more_uses := more_uses + changed.uses - changed.uses_before;
    more_minor := more_minor + changed.spent_minor - changed.spent_before;
  END LOOP;
  IF due IS NOT NULL THEN
    INSERT INTO intent_usage AS t VALUES (of_mandate, more_uses, more_minor)
    ON CONFLICT (mandate_key) DO UPDATE
      SET uses = t.uses + EXCLUDED.uses, spent_minor = t.spent_minor + EXCLUDED.spent_minor;
  END IF;

  SELECT coalesce(t.uses, 0) - coalesce(own.uses, 0),
    coalesce(t.spent_minor, 0) - coalesce(own.spent_minor, 0)
  INTO uses, spent_minor
  FROM (SELECT) AS one
  LEFT JOIN LATERAL (
    SELECT iu.uses, iu.spent_minor FROM intent_usage iu WHERE iu.mandate_key = of_mandate OFFSET 0
  ) t ON true
  LEFT JOIN LATERAL (
    SELECT ic.uses, ic.spent_minor FROM intent_counted ic
    WHERE ic.authorization_id = but_for OFFSET 0
  ) own ON true;
END $$;
