-- A recorded fact is never changed; what is learnt later is appended beside it. The triggers speak
-- for a statement, not for its rows, so an INSERT pays nothing; ALWAYS, so that a session that
-- plays the replica does not slip past.
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% of % is refused: records are only appended', TG_OP, TG_TABLE_NAME
    USING ERRCODE = 'restrict_violation';
END $$;

CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON authorization_record
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON decision_basis
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON step_up_answer
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON reversal
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON outcome
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON reference
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON system_void
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON first_answer
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON intent_use
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON chain_entry
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON chain_head
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON chain_key
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

ALTER TABLE authorization_record ENABLE ALWAYS TRIGGER append_only;
ALTER TABLE decision_basis ENABLE ALWAYS TRIGGER append_only;
ALTER TABLE step_up_answer ENABLE ALWAYS TRIGGER append_only;
ALTER TABLE reversal ENABLE ALWAYS TRIGGER append_only;
ALTER TABLE outcome ENABLE ALWAYS TRIGGER append_only;
ALTER TABLE reference ENABLE ALWAYS TRIGGER append_only;
ALTER TABLE system_void ENABLE ALWAYS TRIGGER append_only;
ALTER TABLE first_answer ENABLE ALWAYS TRIGGER append_only;
ALTER TABLE intent_use ENABLE ALWAYS TRIGGER append_only;
ALTER TABLE chain_entry ENABLE ALWAYS TRIGGER append_only;
ALTER TABLE chain_head ENABLE ALWAYS TRIGGER append_only;
ALTER TABLE chain_key ENABLE ALWAYS TRIGGER append_only;
