-- Turns a pending STEP_UP into an APPROVE: the same fences, the same limits, the same order of
-- locks as a commit. Outcomes: confirmed, already_answered, expired, stale (with the entities),
-- limits_differ (with the limits it would exceed, as exceeded_limits counts them); but for
-- confirmed nothing changes.
CREATE FUNCTION confirm_step_up(
  of_authorization text, confirmed_by text, at text, attestation text,
  seen_ids text[], seen_versions int[], event_id text, event text
) RETURNS TABLE (outcome text, confirmed_at text, exceeded int, stale_ids text[])
LANGUAGE plpgsql
SET enable_seqscan = off
SET enable_bitmapscan = off
SET jit = off
AS $$
#variable_conflict use_variable
DECLARE
  r authorization_record;
  u mandate_usage;
  expires timestamptz;
BEGIN
  PERFORM pg_advisory_xact_lock_shared(1001);
  stale_ids := ARRAY(
    SELECT seen.id FROM unnest(seen_ids, seen_versions) AS seen (id, version)
    CROSS JOIN LATERAL (SELECT f.version FROM fence f WHERE f.entity_id = seen.id OFFSET 0) fenced
    WHERE fenced.version > seen.version
  );
  SELECT p.expires_at INTO expires FROM pending_step_up p
  WHERE p.authorization_id = of_authorization FOR UPDATE;
  outcome := CASE
    WHEN NOT FOUND THEN 'already_answered'
    WHEN at::timestamptz >= expires THEN 'expired'
    WHEN cardinality(stale_ids) > 0 THEN 'stale'
  END;
  IF outcome IS NOT NULL THEN
    RETURN NEXT;
    RETURN;
  END IF;

  SELECT * INTO STRICT r FROM authorization_record ar WHERE ar.id = of_authorization;
  INSERT INTO mandate_usage (mandate_id) VALUES (r.mandate_id) ON CONFLICT DO NOTHING;
  SELECT * INTO STRICT u FROM mandate_usage mu WHERE mu.mandate_id = r.mandate_id FOR UPDATE;
  u := roll_windows(u, left(at, 10));
  exceeded := exceeded_limits(u, r.amount, r.daily_amount_limit, r.monthly_amount_limit,
    r.daily_count_limit, r.monthly_count_limit);
  IF exceeded <> 0 THEN
    outcome := 'limits_differ';
    RETURN NEXT;
    RETURN;
  END IF;

  outcome := 'confirmed';
  -- Another replica's clock may have opened the next day: the time says where it was counted.
  confirmed_at := greatest(at, u.day || 'T00:00:00.000Z');
  UPDATE mandate_usage mu SET
    day = u.day, day_amount = u.day_amount + r.amount, day_count = u.day_count + 1,
    month = u.month, month_amount = u.month_amount + r.amount, month_count = u.month_count + 1
  WHERE mu.mandate_id = r.mandate_id;
  INSERT INTO step_up_answer (
    authorization_id, status, answered_at, answered_by, counted_day, attestation
  ) VALUES (
    of_authorization, 'CONFIRMED', confirmed_at::timestamptz, confirmed_by, u.day, attestation
  );
  DELETE FROM pending_step_up p WHERE p.authorization_id = of_authorization;
  INSERT INTO outbox (event_id, type, payload) VALUES (event_id, 'authorization.amended', event);
  RETURN NEXT;
END $$;

-- Turns a pending STEP_UP into a DECLINE. Outcomes: denied, already_answered, expired.
CREATE FUNCTION deny_step_up(
  of_authorization text, denied_by text, at text, reason text, event_id text, event text
) RETURNS text
LANGUAGE plpgsql
SET enable_seqscan = off
SET enable_bitmapscan = off
SET jit = off
AS $$
#variable_conflict use_variable
DECLARE
  expires timestamptz;
BEGIN
  SELECT p.expires_at INTO expires FROM pending_step_up p
  WHERE p.authorization_id = of_authorization FOR UPDATE;
  IF NOT FOUND THEN
    RETURN 'already_answered';
  END IF;
  IF at::timestamptz >= expires THEN
    RETURN 'expired';
  END IF;
  INSERT INTO step_up_answer (authorization_id, status, answered_at, answered_by, reason)
  VALUES (of_authorization, 'DENIED', at::timestamptz, denied_by, reason);
  DELETE FROM pending_step_up p WHERE p.authorization_id = of_authorization;
  INSERT INTO outbox (event_id, type, payload) VALUES (event_id, 'authorization.amended', event);
  RETURN 'denied';
END $$;
