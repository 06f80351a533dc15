-- A transaction pays for one authorization. A report that failed does not hold it: somebody who
-- names a transaction of another's must not be able to keep it from its owner.
CREATE UNIQUE INDEX "settlement_tx_hash_held" ON "settlement"("chain", "tx_hash")
    WHERE "status" <> 'FAILED';

-- What the watcher looks at: open transfers, those that failed in a block which a reorganisation may
-- still remove, and outcomes the ledger does not have yet.
CREATE INDEX "settlement_watched_idx" ON "settlement"("chain", "next_check_at")
    WHERE "status" IN ('SUBMITTED', 'PENDING') OR "failure_provisional";
CREATE INDEX "settlement_outcome_idx" ON "settlement"("next_check_at") WHERE "outcome_due";

ALTER TABLE "settlement"
    ADD CONSTRAINT "settlement_status_known"
        CHECK ("status" IN ('SUBMITTED', 'PENDING', 'SETTLED', 'FAILED')),
    ADD CONSTRAINT "settlement_failure_has_reason"
        CHECK (("status" = 'FAILED') = ("failure_reason" IS NOT NULL)),
    ADD CONSTRAINT "settlement_provisional_failed"
        CHECK (NOT "failure_provisional" OR "status" = 'FAILED'),
    ADD CONSTRAINT "settlement_settled_has_time"
        CHECK (("status" = 'SETTLED') = ("settled_at" IS NOT NULL)),
    ADD CONSTRAINT "settlement_outcome_of_settled" CHECK (NOT "outcome_due" OR "status" = 'SETTLED');

-- SETTLED and FAILED are final, whoever writes, unless the failure is provisional.
CREATE FUNCTION settlement_is_final() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.status IN ('SETTLED', 'FAILED') AND NOT OLD.failure_provisional
        AND (NEW.status, NEW.failure_reason, NEW.settled_at, NEW.failure_provisional)
        IS DISTINCT FROM
        (OLD.status, OLD.failure_reason, OLD.settled_at, OLD.failure_provisional) THEN
        RAISE EXCEPTION 'settlement % is final', OLD.id;
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER settlement_final BEFORE UPDATE ON "settlement"
    FOR EACH ROW EXECUTE FUNCTION settlement_is_final();
