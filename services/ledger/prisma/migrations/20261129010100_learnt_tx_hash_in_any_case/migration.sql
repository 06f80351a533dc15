-- The same for a hash that was learnt of an authorization later; see 20261129010000_tx_hash_in_any_case.
CREATE INDEX CONCURRENTLY reference_tx_hash_folded
  ON reference (principal_id, lower(value))
  WHERE kind = 'tx_hash' AND value ~ '^0x[0-9a-fA-F]{64}$';
