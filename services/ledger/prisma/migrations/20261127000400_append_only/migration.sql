-- A recorded fact is never changed; what is learnt later is appended beside it. The triggers speak
-- for a statement, not for its rows, so an INSERT pays nothing; ALWAYS, so that a session that
-- plays the replica does not slip past.
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% of % is refused: records are only appended', TG_OP, TG_TABLE_NAME
    USING ERRCODE = 'restrict_violation';
END $$;

DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY[
    'authorization_record', 'decision_basis', 'step_up_answer', 'reversal', 'outcome', 'reference',
    'system_void', 'first_answer', 'intent_use', 'chain_entry', 'chain_head', 'chain_key'
  ] LOOP
    EXECUTE format('CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON %I
      FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()', name);
    EXECUTE format('ALTER TABLE %I ENABLE ALWAYS TRIGGER append_only', name);
  END LOOP;
END $$;
