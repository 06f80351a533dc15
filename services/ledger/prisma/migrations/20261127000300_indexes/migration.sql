-- One key, one decision.
CREATE UNIQUE INDEX authorization_record_key ON authorization_record (principal_id, idempotency_key)
  WHERE idempotency_key IS NOT NULL;

-- Outcomes are matched by reference, the newest authorization first.
CREATE INDEX authorization_record_network_rrn
  ON authorization_record (principal_id, network_rrn, created_at DESC)
  WHERE network_rrn IS NOT NULL;
CREATE INDEX authorization_record_tx_hash
  ON authorization_record (principal_id, tx_hash, created_at DESC)
  WHERE tx_hash IS NOT NULL;
CREATE INDEX authorization_record_client_reference
  ON authorization_record (principal_id, client_reference, created_at DESC)
  WHERE client_reference IS NOT NULL;

-- The hash of a transaction is one however its hex digits are written: callers record it as they have
-- it, settlements in small letters. It stays as it was recorded, and is matched by these. What is no
-- such hash is matched as it is written, by the index above.
CREATE INDEX authorization_record_tx_hash_folded
  ON authorization_record (principal_id, lower(tx_hash), created_at DESC)
  WHERE tx_hash ~ '^0x[0-9a-fA-F]{64}$';
CREATE INDEX reference_tx_hash_folded
  ON reference (principal_id, lower(value))
  WHERE kind = 'tx_hash' AND value ~ '^0x[0-9a-fA-F]{64}$';

-- What is still to be told of, the first to expire first.
CREATE INDEX pending_step_up_untold ON pending_step_up (expires_at) WHERE expiry_told_at IS NULL;

-- What the hash chain has yet to take in; the other tables have such an index by their single key.
CREATE INDEX outcome_chain ON outcome (txid, (id || '/' || revision));
CREATE INDEX reference_chain ON reference (txid, (authorization_id || '/' || kind));
