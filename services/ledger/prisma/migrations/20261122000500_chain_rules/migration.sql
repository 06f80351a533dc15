-- The hash chain; see docs/decisions/0008-a-hash-chain-behind-the-records.md.

ALTER TABLE chain_entry
  ALTER COLUMN kind TYPE text COLLATE "C",
  ALTER COLUMN ref TYPE text COLLATE "C",
  ALTER COLUMN record_hash TYPE text COLLATE "C",
  ALTER COLUMN previous_hash TYPE text COLLATE "C",
  ALTER COLUMN entry_hash TYPE text COLLATE "C";
ALTER TABLE chain_head
  ALTER COLUMN entry_hash TYPE text COLLATE "C",
  ALTER COLUMN kid TYPE text COLLATE "C",
  ALTER COLUMN signature TYPE text COLLATE "C";
ALTER TABLE chain_key
  ALTER COLUMN kid TYPE text COLLATE "C",
  ALTER COLUMN algorithm TYPE text COLLATE "C",
  ALTER COLUMN public_jwk TYPE text COLLATE "C",
  ALTER COLUMN sealed_by TYPE text COLLATE "C";

-- The others have indexes of the same kind by their single key.
CREATE INDEX outcome_chain ON outcome (txid, (id || '/' || revision));
CREATE INDEX reference_chain ON reference (txid, (authorization_id || '/' || kind));

CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON chain_entry
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON chain_head
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON chain_key
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
ALTER TABLE chain_entry ENABLE ALWAYS TRIGGER append_only;
ALTER TABLE chain_head ENABLE ALWAYS TRIGGER append_only;
ALTER TABLE chain_key ENABLE ALWAYS TRIGGER append_only;
