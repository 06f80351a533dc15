-- The hash of a transaction is one however its hex digits are written: callers record it as they have
-- it, settlements in small letters. It stays as it was recorded, and is matched by this. What is no
-- such hash is matched as it is written, by the index that there was.
--
-- Payments go on meanwhile, so this statement has a migration to itself. Should it be broken off, it
-- leaves an index that is not valid and has to be dropped before the migration is applied again.
CREATE INDEX CONCURRENTLY authorization_record_tx_hash_folded
  ON authorization_record (principal_id, lower(tx_hash), created_at DESC)
  WHERE tx_hash ~ '^0x[0-9a-fA-F]{64}$';
