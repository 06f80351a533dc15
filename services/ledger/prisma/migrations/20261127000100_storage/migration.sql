-- Everything here is compared byte by byte: ids sort by time, keys are opaque. The locale of the
-- server must neither slow that down nor change the order of an index when its library is updated.
DO $$
DECLARE
  c record;
BEGIN
  FOR c IN
    SELECT table_name, column_name FROM information_schema.columns
    WHERE table_schema = current_schema() AND data_type = 'text'
      AND table_name <> '_prisma_migrations'
  LOOP
    EXECUTE format(
      'ALTER TABLE %I ALTER COLUMN %I TYPE text COLLATE "C"', c.table_name, c.column_name
    );
  END LOOP;
END $$;

-- Room on each page for the next version of a row, so that counting touches no index.
ALTER TABLE mandate_usage SET (fillfactor = 50);

-- Records and bases are written once and read rarely, a page or two at a time: up to a page they stay
-- in line, because compressing them would cost more than the whole rest of their insert.
ALTER TABLE authorization_record SET (toast_tuple_target = 8160);
ALTER TABLE decision_basis SET (toast_tuple_target = 8160);

-- Sealed, so that compressing it gains nothing.
ALTER TABLE intent_evidence ALTER COLUMN sealed_chain SET STORAGE EXTERNAL;

-- A row of the outbox has the events of up to 32 payments, some 36 KB, and is compressed to a quarter. With
-- lz4 that takes 1.6 µs an event, with PostgreSQL's own pglz 8.9, to the same size. Some servers are built
-- without lz4.
DO $$
BEGIN
  ALTER TABLE outbox ALTER COLUMN payload SET COMPRESSION lz4;
EXCEPTION WHEN feature_not_supported THEN
  RAISE NOTICE 'this server has no lz4; the outbox is compressed with pglz';
END $$;

-- A row of the outbox holds one event, or several, parted by commas: the relay writes them between the
-- brackets of its message. Most approvals concern nobody but the profile of their agent. They are
-- published on a topic of their own, so that services which announce or follow payments are not sent
-- them: the type of an outbox row is the topic on which it is published.
COMMENT ON COLUMN outbox.type IS 'The topic on which the events are published';
COMMENT ON COLUMN outbox.payload IS 'JSON texts of one or more events of the type, parted by commas';
COMMENT ON COLUMN outbox.event_id IS 'The id of one of its events';

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
