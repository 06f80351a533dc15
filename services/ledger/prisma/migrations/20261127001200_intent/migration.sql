-- What a vi_chain uses up; see docs/decisions/0016-intent-is-used-up-with-the-record.md.

-- Whether a user may not speak for a principal: with `explicit` who was not registered, with `tofu`
-- whoever is not bound once anybody is.
CREATE FUNCTION is_foreign_intent_subject(
  of_principal text, of_issuer text, of_subject text, binding text
) RETURNS boolean
LANGUAGE sql AS $$
  SELECT CASE
    WHEN EXISTS (
      SELECT FROM intent_subject s
      WHERE s.principal_id = of_principal AND s.issuer = of_issuer AND s.subject = of_subject
        AND (binding <> 'explicit' OR s.how = 'explicit')
    ) THEN false
    WHEN binding = 'explicit' THEN true
    ELSE EXISTS (
      SELECT FROM intent_subject s
      WHERE s.principal_id = of_principal AND s.issuer = of_issuer
    ) END
$$;

-- The codes of what a use of a mandate would run into, in published order, under the locks that make
-- it so until the transaction ends. Every transaction takes them before any other lock and in this
-- order: who may be bound (1004), the mandate (1005), and after them the nonce (1006).
CREATE FUNCTION intent_use_codes(wanted intent_use, moment timestamptz) RETURNS text[]
LANGUAGE plpgsql
SET jit = off
AS $$
DECLARE
  live record;
  codes text[] := '{}';
BEGIN
  -- Only who may be the first has to be alone.
  IF wanted.subject_binding = 'tofu' AND NOT EXISTS (
    SELECT FROM intent_subject s
    WHERE s.principal_id = wanted.principal_id AND s.issuer = wanted.issuer
  ) THEN
    PERFORM pg_advisory_xact_lock(1004, hashtext(wanted.principal_id || ' ' || wanted.issuer));
  END IF;
  PERFORM pg_advisory_xact_lock(1005, hashtext(wanted.mandate_key));
  IF is_foreign_intent_subject(
    wanted.principal_id, wanted.issuer, wanted.subject, wanted.subject_binding
  ) THEN
    codes := codes || 'VI_SUBJECT_MISMATCH'::text;
  END IF;
  SELECT * INTO live
  FROM live_intent_uses(wanted.mandate_key, wanted.authorization_id, moment);
  IF wanted.max_occurrences IS NULL AND live.uses > 0 THEN
    codes := codes || 'VI_MANDATE_CONSUMED'::text;
  END IF;
  IF live.spent_minor + wanted.amount_minor > wanted.budget_minor THEN
    codes := codes || 'VI_BUDGET_EXCEEDED'::text;
  END IF;
  IF live.uses >= wanted.max_occurrences THEN
    codes := codes || 'VI_OCCURRENCES_EXCEEDED'::text;
  END IF;
  RETURN codes;
END $$;

-- The first verified use binds. A challenge binds nobody before a human has said yes to it.
CREATE FUNCTION bind_intent_subject(used intent_use, moment timestamptz) RETURNS void
LANGUAGE sql AS $$
  INSERT INTO intent_subject (
    principal_id, issuer, subject, how, bound_at, user_key_thumbprint, authorization_id
  )
  SELECT used.principal_id, used.issuer, used.subject, 'first_use', moment,
    used.user_key_thumbprint, used.authorization_id
  WHERE used.subject_binding = 'tofu'
  ON CONFLICT DO NOTHING
$$;

-- Commits the one proposal of a batch that came with a vi_chain, with all that it uses up: one
-- transaction, or nothing. `wanted` is what it claims and `nonce` its presentation; both null where
-- the signatures of the chain do not hold, so that nothing in it is anybody's word. `expected` are
-- the codes that it was judged by: where they are not the truth nothing is recorded, and the outcome
-- is intent_differs with the codes as its detail. A replay is answered before any of that. The other
-- outcomes are those of commit_proposals, whose parameters the first thirteen are.
CREATE FUNCTION commit_with_intent(
  proposals proposal[], basis_hashes text[], fact_texts text[], answer_heads text[],
  answer_middles text[], answer_tails text[], ready_events text[], event_formats text[],
  mandates text[], seen_ids text[], seen_versions int[], new_hashes text[], new_bodies text[],
  wanted intent_use, nonce intent_nonce, expected text[], sealed_chain bytea, sealed_by text
) RETURNS TABLE (request int, outcome text, answer text, detail text)
LANGUAGE plpgsql
SET enable_seqscan = off
SET enable_bitmapscan = off
SET jit = off
AS $$
#variable_conflict use_variable
DECLARE
  p constant proposal := proposals[1];
  claims constant boolean := (wanted).authorization_id IS NOT NULL;
  codes text[];
  committed record;
BEGIN
  IF claims THEN
    codes := intent_use_codes(wanted, p.decided_at::timestamptz);
    PERFORM pg_advisory_xact_lock(1006, hashtext(nonce.signer_thumbprint || ' ' || nonce.nonce));
    -- What was decided and told to nobody has used up no presentation.
    IF EXISTS (
      SELECT FROM intent_nonce n
      WHERE n.signer_thumbprint = nonce.signer_thumbprint AND n.nonce = (nonce).nonce
        AND NOT EXISTS (
          SELECT FROM system_void v WHERE v.authorization_id = n.authorization_id
        )
    ) THEN
      codes := 'VI_NONCE_REPLAY'::text || codes;
    END IF;
    IF codes <> expected AND NOT EXISTS (
      SELECT FROM authorization_record r WHERE r.id = p.id
    ) AND NOT EXISTS (
      SELECT FROM authorization_record r
      WHERE r.principal_id = p.principal_id AND r.idempotency_key = p.idempotency_key
    ) THEN
      RETURN QUERY SELECT 1, 'intent_differs', NULL::text, array_to_json(codes)::text;
      RETURN;
    END IF;
  END IF;

  -- Its event goes to everybody, also where only a profile learns from it.
  FOR committed IN
    SELECT c.request AS place, c.outcome AS word, c.answer AS text, c.detail AS more
    FROM commit_proposals(
      proposals, basis_hashes, fact_texts, answer_heads, answer_middles, answer_tails,
      ready_events, event_formats, mandates, seen_ids, seen_versions, new_hashes, new_bodies,
      ARRAY['authorization.recorded']
    ) c
  LOOP
    RETURN QUERY SELECT committed.place, committed.word, committed.text, committed.more;
  END LOOP;
  IF committed.word IS DISTINCT FROM 'recorded' THEN
    RETURN;
  END IF;

  INSERT INTO intent_evidence (authorization_id, sealed_chain, sealed_by, created_at)
  VALUES (p.id, sealed_chain, sealed_by, p.decided_at::timestamptz);
  IF NOT claims THEN
    RETURN;
  END IF;
  -- Whoever shows what another's user signed must not use it up.
  IF 'VI_SUBJECT_MISMATCH' <> ALL (codes) THEN
    INSERT INTO intent_nonce AS n VALUES (nonce.*)
    ON CONFLICT ON CONSTRAINT intent_nonce_pkey DO UPDATE
      SET authorization_id = EXCLUDED.authorization_id
      WHERE EXISTS (SELECT FROM system_void v WHERE v.authorization_id = n.authorization_id);
  END IF;
  IF p.decision <> 'DECLINE' THEN
    INSERT INTO intent_use VALUES (wanted.*);
  END IF;
  IF p.decision = 'APPROVE' AND p.vi_verified = 't' THEN
    PERFORM bind_intent_subject(wanted, p.decided_at::timestamptz);
  END IF;
END $$;

-- confirm_step_up for any challenge. One that came with a vi_chain has held its use since it was
-- made; that it still fits is looked at again, since replicas differ on when another one expired.
-- Outcomes: those of confirm_step_up, and intent_differs with the codes.
CREATE FUNCTION confirm_step_up_with_intent(
  of_authorization text, confirmed_by text, moment text, attestation text,
  seen_ids text[], seen_versions int[], event_id text, event text
) RETURNS TABLE (
  outcome text, confirmed_at text, exceeded int, stale_ids text[], intent_codes text[]
)
LANGUAGE plpgsql
SET enable_seqscan = off
SET enable_bitmapscan = off
SET jit = off
AS $$
#variable_conflict use_variable
DECLARE
  used intent_use;
  codes text[] := '{}';
  done record;
BEGIN
  SELECT u.* INTO used FROM intent_use u WHERE u.authorization_id = of_authorization;
  IF FOUND THEN
    codes := intent_use_codes(used, moment::timestamptz);
    IF codes <> '{}' AND EXISTS (
      SELECT FROM pending_step_up s
      WHERE s.authorization_id = of_authorization AND s.expires_at > moment::timestamptz
    ) THEN
      RETURN QUERY SELECT 'intent_differs', NULL::text, NULL::int, '{}'::text[], codes;
      RETURN;
    END IF;
  END IF;
  SELECT c.* INTO done FROM confirm_step_up(
    of_authorization, confirmed_by, moment, attestation, seen_ids, seen_versions, event_id, event
  ) c;
  IF done.outcome = 'confirmed' AND used.authorization_id IS NOT NULL AND (
    SELECT r.vi_verified FROM authorization_record r WHERE r.id = of_authorization
  ) THEN
    PERFORM bind_intent_subject(used, moment::timestamptz);
  END IF;
  RETURN QUERY
    SELECT done.outcome, done.confirmed_at, done.exceeded, done.stale_ids, '{}'::text[];
END $$;
