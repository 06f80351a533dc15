-- Reports can name transactions that do not exist. Those that a node has known are leased first, and
-- the others are counted for each Principal.
CREATE INDEX "settlement_seen_idx" ON "settlement"("chain", "next_check_at")
    WHERE ("status" IN ('SUBMITTED', 'PENDING') OR "failure_provisional")
        AND "last_seen_at" IS NOT NULL;
CREATE INDEX "settlement_unseen_due_idx" ON "settlement"("chain", "next_check_at")
    WHERE ("status" IN ('SUBMITTED', 'PENDING') OR "failure_provisional")
        AND "last_seen_at" IS NULL;
CREATE INDEX "settlement_unseen_idx" ON "settlement"("principal_id", "authorization_id")
    WHERE "status" = 'SUBMITTED' AND "last_seen_at" IS NULL;
