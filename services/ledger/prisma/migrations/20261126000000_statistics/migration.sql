-- Tables that only grow are analyzed again and again, and of a table with 55 columns that takes a
-- core for more than a second each time. Only what a query looks for is worth statistics, and of
-- names that are spread evenly a small sample tells as much as a large one.

CREATE FUNCTION keep_statistics(told regclass, searched text[]) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  name text;
BEGIN
  FOR name IN SELECT attname FROM pg_attribute WHERE attrelid = told AND attnum > 0 AND NOT attisdropped
  LOOP
    EXECUTE format('ALTER TABLE %s ALTER COLUMN %I SET STATISTICS %s', told, name,
      CASE WHEN name = ANY (searched) THEN 10 ELSE 0 END);
  END LOOP;
END $$;

SELECT keep_statistics('authorization_record', '{id, client_id, principal_id, agent_id,
  transaction_id, idempotency_key, client_reference, network_rrn, tx_hash, created_at, txid}');
SELECT keep_statistics('chain_entry', '{seq, kind, ref, txid}');
SELECT keep_statistics('decision_basis', '{hash, txid}');
SELECT keep_statistics('outbox', '{seq, event_id, created_at, published_at}');

DROP FUNCTION keep_statistics(regclass, text[]);
