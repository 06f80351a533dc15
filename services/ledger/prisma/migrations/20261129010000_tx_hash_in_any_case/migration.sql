-- The hash of a transaction is one however its hex digits are written: callers record it as they have
-- it, settlements in small letters. It stays as it was recorded, and is matched by these. What is no
-- such hash is matched as it is written, by the indexes that there were.
--
-- Not CONCURRENTLY: that would wait for another run of the migrations, which waits for this one.
-- docs/operations.md tells how a large log gets its index beforehand, without holding up payments.
CREATE INDEX IF NOT EXISTS authorization_record_tx_hash_folded
  ON authorization_record (principal_id, lower(tx_hash), created_at DESC)
  WHERE tx_hash ~ '^0x[0-9a-fA-F]{64}$';
CREATE INDEX IF NOT EXISTS reference_tx_hash_folded
  ON reference (principal_id, lower(value))
  WHERE kind = 'tx_hash' AND value ~ '^0x[0-9a-fA-F]{64}$';
