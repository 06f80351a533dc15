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

-- The functions that return answers, otherwise as they were.

-- What a replay of a record must be answered where that is not the record's own answer: the answer
-- that the key got first, if that was another's (`same_body` says whether to this body), and what
-- was answered instead of a decision that was voided. No row, or nulls, where the record's holds.
CREATE OR REPLACE FUNCTION given_answer(
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

-- Puts an answer that was given into its place, whatever the ledger had decided meanwhile. `p` is
-- the fail-safe DECLINE as a proposal. Outcomes:
-- absent       neither id nor key is on record: it can be recorded as it is
-- keyless      another id has the key, but was decided after this answer: to be recorded without
--              the key, and then to be settled again
-- replayed     it is on record, byte for byte; or the key had its answer before, which is returned
-- key_reused   the key had its answer before, and to another body
-- recorded     another decision stood under this id: it is voided, and this is its answer now
-- id_taken     the id is another principal's
CREATE OR REPLACE FUNCTION settle_given_answer(
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

-- What keys were answered before: a row for each that is on record, which says by `place`, counted
-- from 1, which question it answers, and whether it was asked with the same body. What the commit
-- of a batch finds out under its locks, for those who have no decision to lay before it.
CREATE OR REPLACE FUNCTION find_replays(principals text[], keys text[], bodies text[])
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
CREATE OR REPLACE FUNCTION commit_proposals(
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
