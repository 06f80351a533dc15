-- Raises the lowest version of each entity that a proposal may have been judged by; see
-- docs/decisions/0002-fences-instead-of-fresh-caches.md. Batches that hold the lock commit first,
-- later ones see the rows.
CREATE FUNCTION raise_fences(ids text[], versions int[]) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(1001);
  INSERT INTO fence AS f (entity_id, version)
  SELECT e.id, max(e.version) FROM unnest(ids, versions) e (id, version) GROUP BY e.id ORDER BY e.id
  ON CONFLICT (entity_id) DO UPDATE SET version = EXCLUDED.version
    WHERE EXCLUDED.version > f.version;
END $$;

-- Raises fences as raise_fences does and, in the same transaction, denies what still waits for an
-- answer of the agents in `revoked`: no batch and no confirmation runs beside it, and every later
-- one sees the fence. Denies one challenge for each of `event_ids` at most and returns how many;
-- called again until there are fewer. `event_format` takes id, principal, client, authorization,
-- agent, amount and currency as JSON.
CREATE FUNCTION raise_fences_and_deny(
  ids text[], versions int[], revoked text[], at text, event_ids text[], event_format text
) RETURNS int
LANGUAGE plpgsql
SET enable_seqscan = off
SET enable_bitmapscan = off
SET jit = off
AS $$
#variable_conflict use_variable
DECLARE
  challenge record;
  denied int := 0;
BEGIN
  PERFORM raise_fences(ids, versions);
  FOR challenge IN
    SELECT r.id, r.principal_id, r.client_id, r.agent_id, r.currency,
      round(r.amount, r.exponent)::text AS amount
    FROM pending_step_up p JOIN authorization_record r ON r.id = p.authorization_id
    WHERE p.agent_id = ANY(revoked) AND p.expires_at > at::timestamptz
    ORDER BY p.authorization_id LIMIT cardinality(event_ids)
    FOR UPDATE OF p
  LOOP
    denied := denied + 1;
    INSERT INTO step_up_answer (authorization_id, status, answered_at, answered_by, reason)
    VALUES (challenge.id, 'DENIED', at::timestamptz, 'system', 'AGENT_REVOKED');
    DELETE FROM pending_step_up p WHERE p.authorization_id = challenge.id;
    INSERT INTO outbox (event_id, type, payload) VALUES (
      event_ids[denied], 'authorization.amended',
      format(event_format, to_json(event_ids[denied]), to_json(challenge.principal_id),
        to_json(challenge.client_id), to_json(challenge.id), to_json(challenge.agent_id),
        to_json(challenge.amount), to_json(challenge.currency))
    );
  END LOOP;
  RETURN denied;
END $$;

-- A database that was restored, or that is a standby's now, may have lost fences, and a proposal made
-- from what they had fenced off would be recorded. So a proposal names the epoch of the database that
-- its facts were read under. One that names none is not asked for it.

-- Another value after every restart of the server, as for a restore of its files, and if the database
-- or its fences were created anew, as by a logical restore. A standby is promoted without a restart,
-- and may have been asked before, while fences were still raised on the primary: so it has another
-- epoch than what it becomes.
CREATE FUNCTION database_epoch() RETURNS text LANGUAGE sql STABLE AS $$
  SELECT left(md5(concat_ws(' ',
    extract(epoch FROM pg_postmaster_start_time()),
    pg_is_in_recovery(),
    (SELECT oid FROM pg_database WHERE datname = current_database()),
    pg_relation_filenode('fence')
  )), 16)
$$;

-- True, or an exception: used in the parameters of a function, which is then not called.
CREATE FUNCTION assert_epoch(expected text) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
  IF expected IS DISTINCT FROM database_epoch() THEN
    RAISE EXCEPTION 'the database is not the one of epoch %', expected USING ERRCODE = 'CS001';
  END IF;
  RETURN true;
END $$;
