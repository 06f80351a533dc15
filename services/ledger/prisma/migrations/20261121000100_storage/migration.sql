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

-- A record is written once and read rarely, a page or two at a time: up to a page it stays in line,
-- because compressing the facts would cost more than the whole rest of its insert.
ALTER TABLE authorization_record SET (toast_tuple_target = 8160);

ALTER TABLE authorization_record
  ADD CONSTRAINT known_decision CHECK (decision IN ('APPROVE', 'DECLINE', 'STEP_UP')),
  ADD CONSTRAINT known_rail CHECK (rail IN ('CARD', 'CRYPTO')),
  ADD CONSTRAINT positive_amount CHECK (amount > 0),
  ADD CONSTRAINT approved_is_counted CHECK (
    (decision = 'APPROVE') = (counted_day IS NOT NULL)
    AND (counted_day IS NULL OR mandate_id IS NOT NULL)
  ),
  ADD CONSTRAINT step_up_expires CHECK ((decision = 'STEP_UP') = (step_up_expires_at IS NOT NULL));

ALTER TABLE step_up_answer
  ADD CONSTRAINT known_status CHECK (status IN ('CONFIRMED', 'DENIED')),
  ADD CONSTRAINT confirmed_is_counted CHECK ((status = 'CONFIRMED') = (counted_day IS NOT NULL));

ALTER TABLE reversal ADD CONSTRAINT no_negative_release CHECK (amount >= 0);

-- More can never be given back than was taken: a mistake in a reversal fails here.
ALTER TABLE mandate_usage
  ADD CONSTRAINT no_negative_usage CHECK (
    day_amount >= 0 AND day_count >= 0 AND month_amount >= 0 AND month_count >= 0
  );

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

-- What the relay still has to publish; it stays as small as the backlog.
CREATE INDEX outbox_unpublished ON outbox (seq) WHERE published_at IS NULL;
