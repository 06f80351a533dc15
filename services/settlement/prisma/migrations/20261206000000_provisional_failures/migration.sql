-- A transaction that reverted, or moved something else, in a block that a reorganisation may still
-- remove. The release before does not write this: its failures stay final, and so do those of before.
ALTER TABLE "settlement"
    ADD COLUMN "failure_provisional" BOOLEAN NOT NULL DEFAULT false,
    ADD CONSTRAINT "settlement_provisional_failed"
        CHECK (NOT "failure_provisional" OR "status" = 'FAILED');

-- What the watcher looks at. The query of the release before can use it as well.
CREATE INDEX "settlement_watched_idx" ON "settlement"("chain", "next_check_at")
    WHERE "status" IN ('SUBMITTED', 'PENDING') OR "failure_provisional";
DROP INDEX "settlement_open_idx";

-- SETTLED and FAILED are final, whoever writes, unless the failure is provisional.
CREATE OR REPLACE FUNCTION settlement_is_final() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.status IN ('SETTLED', 'FAILED') AND NOT OLD.failure_provisional
        AND (NEW.status, NEW.failure_reason, NEW.settled_at, NEW.failure_provisional)
        IS DISTINCT FROM
        (OLD.status, OLD.failure_reason, OLD.settled_at, OLD.failure_provisional) THEN
        RAISE EXCEPTION 'settlement % is final', OLD.id;
    END IF;
    RETURN NEW;
END $$;
