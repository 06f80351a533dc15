-- The one write door of a decision; see docs/decisions/0006-one-commit-function.md.

-- One proposal as it crosses the wire: every attribute as text, cast where it is used. A release
-- that needs another shape adds a new type and a new function beside these: during a rollout the
-- processes of the old release go on calling the old ones.
CREATE TYPE proposal AS (
  id text,
  client_id text,
  principal_id text,
  agent_id text,
  mandate_id text,
  mandate_index text,
  program_id text,
  transaction_id text,
  transaction_given text,
  correlation_key text,
  idempotency_key text,
  body_hash text,
  decision text,
  reason_codes text,
  limit_mask text,
  amount text,
  currency text,
  exponent text,
  rail text,
  mcc text,
  country text,
  merchant_id text,
  merchant_name text,
  client_reference text,
  network_rrn text,
  network_stan text,
  auth_code text,
  network_reference text,
  tx_hash text,
  chain_id text,
  daily_amount_limit text,
  monthly_amount_limit text,
  daily_count_limit text,
  monthly_count_limit text,
  decided_at text,
  step_up_expires_at text,
  kya_score text,
  trust_level text,
  risk_score text,
  vi_verified text,
  processing_time_ms text,
  mandate_hash text,
  policy_hash text,
  input_hash text,
  facts text,
  answer_format text,
  event_id text,
  event text,
  event_format text
);

-- Which limits one more payment would exceed: 1 daily amount, 2 monthly amount, 4 daily count, 8
-- monthly count. A limit that is not set is null and never exceeded.
CREATE FUNCTION exceeded_limits(
  used mandate_usage, amount numeric,
  daily_amount numeric, monthly_amount numeric, daily_count bigint, monthly_count bigint
) RETURNS int LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN (used).day_amount + amount > daily_amount THEN 1 ELSE 0 END
    + CASE WHEN (used).month_amount + amount > monthly_amount THEN 2 ELSE 0 END
    + CASE WHEN (used).day_count >= daily_count THEN 4 ELSE 0 END
    + CASE WHEN (used).month_count >= monthly_count THEN 8 ELSE 0 END
$$;

-- Opens the windows of a day. They only roll forward: what comes late by the clock of another
-- replica is counted in the day that is already open, and its time says so.
CREATE FUNCTION roll_windows(used mandate_usage, on_day text) RETURNS mandate_usage
LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  IF on_day > used.day THEN
    used.day := on_day;
    used.day_amount := 0;
    used.day_count := 0;
    IF left(on_day, 7) > used.month THEN
      used.month := left(on_day, 7);
      used.month_amount := 0;
      used.month_count := 0;
    END IF;
  END IF;
  RETURN used;
END $$;

-- At most five challenges of an agent wait at once, counted under the agent's lock.
CREATE FUNCTION most_open_challenges() RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT 5';

-- Challenges of an agent that can still be answered, counted no further than they matter.
CREATE FUNCTION open_challenges(of_agent text, at timestamptz) RETURNS int
LANGUAGE sql VOLATILE AS $$
  SELECT count(*)::int FROM (
    SELECT FROM pending_step_up p WHERE p.agent_id = of_agent AND p.expires_at > at
    LIMIT most_open_challenges()
  ) open
$$;

-- Commits a batch. `proposals` in the order of their arrival, no two of one id or one key, and beside
-- them, by the same numbers, their long texts: within a proposal every look at one of its attributes
-- would step over them. An answer comes in three parts, of which only the middle has counters to be
-- filled in. `mandates` the distinct mandates they name, sorted, which mandate_index counts from 1;
-- `seen_ids` and `seen_versions` the distinct versions they were judged by. `basis_hashes` name the
-- basis of each; `new_hashes` and `new_bodies` are those that the caller does not know to be kept.
-- `topics` names the topic of the event of each.
--
-- Where a version was outdated nothing is recorded and the rows say which (stale, an index into
-- seen_ids). Else there is one row a proposal: recorded, whose answer is the filled middle alone;
-- replayed, with the whole answer; key_reused, transaction_unknown, challenges_full; or limits_differ,
-- whose detail is {"exceeded", "usage"}.
--
-- Every look-up is a lateral subquery by a unique index: there is one plan it can have, whatever
-- the statistics say, and it is good on a table that was never analysed. JIT would compile for a
-- second what runs for a millisecond.
CREATE FUNCTION commit_proposals(
  proposals proposal[], basis_hashes text[], fact_texts text[], answer_heads text[],
  answer_middles text[], answer_tails text[], ready_events text[], event_formats text[],
  mandates text[], seen_ids text[], seen_versions int[], new_hashes text[], new_bodies text[],
  topics text[]
) RETURNS TABLE (request int, outcome text, answer text, detail text)
LANGUAGE plpgsql
SET enable_seqscan = off
SET enable_bitmapscan = off
SET plan_cache_mode = force_generic_plan
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  size constant int := cardinality(proposals);
  outcomes text[] := array_fill(NULL::text, ARRAY[size]);
  answers text[] := array_fill(NULL::text, ARRAY[size]);
  events text[] := array_fill(NULL::text, ARRAY[size]);
  details text[] := array_fill(NULL::text, ARRAY[size]);
  usages mandate_usage[];
  touched boolean[] := array_fill(false, ARRAY[greatest(cardinality(mandates), 1)]);
  step_ups boolean := false;
  p proposal;
  u mandate_usage;
  unused constant mandate_usage := ROW('', '', 0, 0, '', 0, 0);
  amount numeric;
  decimals int;
  exceeded int;
  found_record record;
  given record;
  -- Agents of the challenges that this batch adds; null until their locks are taken.
  challenged text[];
BEGIN
  -- A fence takes this lock alone: once it has answered, nothing judged by less can commit.
  PERFORM pg_advisory_xact_lock_shared(1001);

  RETURN QUERY
    SELECT seen.ordinality::int, 'stale', NULL::text, NULL::text
    FROM unnest(seen_ids, seen_versions) WITH ORDINALITY AS seen (id, version, ordinality)
    CROSS JOIN LATERAL (SELECT f.version FROM fence f WHERE f.entity_id = seen.id OFFSET 0) fenced
    WHERE fenced.version > seen.version;
  IF FOUND THEN
    RETURN;
  END IF;

  FOR found_record IN
    SELECT i, known.id, known.answer, known.body_hash = proposals[i].body_hash AS same_body
    FROM generate_series(1, size) i
    CROSS JOIN LATERAL (
      SELECT r.id, replayed_answer(r) AS answer, r.body_hash FROM authorization_record r
      WHERE r.principal_id = proposals[i].principal_id
        AND r.idempotency_key = proposals[i].idempotency_key
      OFFSET 0
    ) known
    UNION ALL
    SELECT i, known.id, known.answer, true
    FROM generate_series(1, size) i
    CROSS JOIN LATERAL (
      SELECT r.id, replayed_answer(r) AS answer, r.principal_id FROM authorization_record r
      WHERE r.id = proposals[i].id
      OFFSET 0
    ) known
    WHERE known.principal_id = proposals[i].principal_id
  LOOP
    -- Replays are few: only they pay for the question whether another answer was given.
    SELECT * INTO given FROM given_answer(
      proposals[found_record.i].principal_id, proposals[found_record.i].idempotency_key,
      found_record.id, proposals[found_record.i].body_hash
    );
    outcomes[found_record.i] := CASE
      WHEN coalesce(given.same_body, found_record.same_body) THEN 'replayed' ELSE 'key_reused'
    END;
    answers[found_record.i] := CASE
      WHEN outcomes[found_record.i] = 'replayed' THEN coalesce(given.answer, found_record.answer)
    END;
  END LOOP;

  -- In the order of their ids, as every batch takes them, so that two batches cannot wait for each
  -- other.
  IF (
    SELECT count(*) FROM unnest(mandates) AS m (id)
    CROSS JOIN LATERAL (SELECT FROM mandate_usage mu WHERE mu.mandate_id = m.id OFFSET 0) known
  ) < cardinality(mandates) THEN
    INSERT INTO mandate_usage (mandate_id) SELECT unnest(mandates) ON CONFLICT DO NOTHING;
  END IF;
  SELECT array_agg(ROW(locked.*)::mandate_usage ORDER BY m.ordinality) INTO usages
  FROM unnest(mandates) WITH ORDINALITY AS m (id, ordinality)
  CROSS JOIN LATERAL (SELECT * FROM mandate_usage mu WHERE mu.mandate_id = m.id FOR UPDATE) locked;

  FOR i IN 1..size LOOP
    CONTINUE WHEN outcomes[i] IS NOT NULL;
    p := proposals[i];
    IF p.transaction_given = 't' AND NOT EXISTS (
      SELECT FROM authorization_record r
      WHERE r.transaction_id = p.transaction_id AND r.principal_id = p.principal_id
    ) THEN
      outcomes[i] := 'transaction_unknown';
      CONTINUE;
    END IF;

    amount := p.amount::numeric;
    decimals := p.exponent::int;
    IF p.mandate_index IS NULL THEN
      u := unused;
      exceeded := 0;
    ELSE
      u := usages[p.mandate_index::int];
      IF left(p.decided_at, 10) > u.day THEN
        u := roll_windows(u, left(p.decided_at, 10));
      ELSIF p.decision = 'APPROVE' AND left(p.decided_at, 10) < u.day THEN
        p.decided_at := u.day || 'T00:00:00.000Z';
        proposals[i] := p;
      END IF;
      exceeded := exceeded_limits(u, amount, p.daily_amount_limit::numeric,
        p.monthly_amount_limit::numeric, p.daily_count_limit::bigint,
        p.monthly_count_limit::bigint);
    END IF;

    IF exceeded <> p.limit_mask::int OR (p.decision = 'APPROVE' AND exceeded <> 0) THEN
      outcomes[i] := 'limits_differ';
      details[i] := json_build_object('exceeded', exceeded, 'usage', json_build_object(
        'day', u.day, 'month', u.month,
        'dailyAmount', round(u.day_amount, decimals)::text,
        'monthlyAmount', round(u.month_amount, decimals)::text,
        'dailyCount', u.day_count, 'monthlyCount', u.month_count));
      CONTINUE;
    END IF;

    IF p.decision = 'STEP_UP' AND p.agent_id IS NOT NULL THEN
      IF challenged IS NULL THEN
        -- All usage rows first, then agents in the order of their locks: nobody waits in a circle.
        -- What was counted under an agent's lock stays true until it is given back at the commit.
        PERFORM pg_advisory_xact_lock(1002, a.lock) FROM (
          SELECT DISTINCT hashtext(proposals[n].agent_id) AS lock FROM generate_series(1, size) n
          WHERE proposals[n].decision = 'STEP_UP' ORDER BY lock
        ) a;
        challenged := '{}';
      END IF;
      IF open_challenges(p.agent_id, p.decided_at::timestamptz)
        + cardinality(array_positions(challenged, p.agent_id)) >= most_open_challenges() THEN
        outcomes[i] := 'challenges_full';
        CONTINUE;
      END IF;
      challenged := challenged || p.agent_id;
    END IF;

    IF p.decision = 'APPROVE' THEN
      u.day_amount := u.day_amount + amount;
      u.day_count := u.day_count + 1;
      u.month_amount := u.month_amount + amount;
      u.month_count := u.month_count + 1;
      usages[p.mandate_index::int] := u;
      touched[p.mandate_index::int] := true;
    END IF;
    step_ups := step_ups OR p.decision = 'STEP_UP';
    outcomes[i] := 'recorded';
    answers[i] := format(answer_middles[i],
      round(u.day_amount, decimals), round(u.month_amount, decimals), u.day_count, u.month_count,
      round(greatest(p.daily_amount_limit::numeric - u.day_amount, 0), decimals),
      round(greatest(p.monthly_amount_limit::numeric - u.month_amount, 0), decimals));
    -- Most reasons name no amount, and their events are ready as they came.
    IF ready_events[i] IS NULL THEN
      events[i] := format(event_formats[i],
        round(u.day_amount, decimals), round(u.month_amount, decimals), u.day_count, u.month_count,
        round(greatest(p.daily_amount_limit::numeric - u.day_amount, 0), decimals),
        round(greatest(p.monthly_amount_limit::numeric - u.month_amount, 0), decimals));
    END IF;
  END LOOP;

  IF 'recorded' = ANY (outcomes) THEN
    IF cardinality(new_hashes) > 0 THEN
      INSERT INTO decision_basis (hash, body)
      SELECT * FROM unnest(new_hashes, new_bodies) ORDER BY 1
      ON CONFLICT DO NOTHING;
    END IF;

    INSERT INTO authorization_record (
      id, client_id, principal_id, agent_id, mandate_id, program_id, transaction_id, correlation_key,
      idempotency_key, body_hash, decision, reason_codes, amount, currency, exponent, rail, mcc,
      country, merchant_id, merchant_name, client_reference, network_rrn, network_stan, auth_code,
      network_reference, tx_hash, chain_id, daily_amount_limit, monthly_amount_limit,
      daily_count_limit, monthly_count_limit, counted_day, step_up_expires_at, kya_score, trust_level,
      risk_score, vi_verified, processing_time_ms, mandate_hash, policy_hash, input_hash, facts,
      answer, created_at, basis_hash
    )
    SELECT
      r.id, r.client_id, r.principal_id, r.agent_id, r.mandate_id, r.program_id, r.transaction_id,
      r.correlation_key, r.idempotency_key, r.body_hash, r.decision,
      string_to_array(r.reason_codes, ','),
      r.amount::numeric, r.currency, r.exponent::smallint, r.rail, r.mcc, r.country, r.merchant_id,
      r.merchant_name, r.client_reference, r.network_rrn, r.network_stan, r.auth_code,
      r.network_reference, r.tx_hash, r.chain_id, r.daily_amount_limit::numeric,
      r.monthly_amount_limit::numeric, r.daily_count_limit::bigint, r.monthly_count_limit::bigint,
      CASE WHEN r.decision = 'APPROVE' THEN left(r.decided_at, 10) END,
      r.step_up_expires_at::timestamptz, r.kya_score::float8, r.trust_level, r.risk_score::float8,
      r.vi_verified::boolean, r.processing_time_ms::float8, r.mandate_hash, r.policy_hash,
      r.input_hash, fact_texts[r.ordinality],
      answer_heads[r.ordinality] || answers[r.ordinality] || answer_tails[r.ordinality],
      r.decided_at::timestamptz, basis_hashes[r.ordinality]
    FROM unnest(proposals) WITH ORDINALITY r
    WHERE outcomes[r.ordinality] = 'recorded';

    IF step_ups THEN
      INSERT INTO pending_step_up (authorization_id, principal_id, agent_id, created_at, expires_at)
      SELECT r.id, r.principal_id, r.agent_id, r.decided_at::timestamptz,
        r.step_up_expires_at::timestamptz
      FROM unnest(proposals) WITH ORDINALITY r
      WHERE outcomes[r.ordinality] = 'recorded' AND r.decision = 'STEP_UP';
    END IF;

    -- An upsert needs no join, hence no plan that could go wrong; every row exists and is locked.
    INSERT INTO mandate_usage AS mu
    SELECT n.mandate_id, n.day, n.day_amount, n.day_count, n.month, n.month_amount, n.month_count
    FROM unnest(usages) WITH ORDINALITY n
    WHERE touched[n.ordinality]
    ON CONFLICT (mandate_id) DO UPDATE SET
      day = EXCLUDED.day, day_amount = EXCLUDED.day_amount, day_count = EXCLUDED.day_count,
      month = EXCLUDED.month, month_amount = EXCLUDED.month_amount,
      month_count = EXCLUDED.month_count;

    -- Events that are recorded together and published on one topic share rows, each as large as a
    -- message of the bus can be.
    INSERT INTO outbox (event_id, type, payload)
    SELECT min(proposals[i].event_id), topics[i],
      string_agg(coalesce(ready_events[i], events[i]), ',' ORDER BY i)
    FROM generate_series(1, size) i
    WHERE outcomes[i] = 'recorded'
    GROUP BY topics[i], (i - 1) / 32;
  END IF;

  RETURN QUERY
    SELECT i, outcomes[i], answers[i], details[i] FROM generate_series(1, size) i;
END $$;
