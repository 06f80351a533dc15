-- What is due, by webhook: the claim skips from webhook to webhook and takes a few of each, so a
-- long backlog of one endpoint costs the others nothing.
CREATE INDEX "delivery_due_idx" ON "delivery"("webhook_id", "next_attempt_at")
    WHERE "status" = 'PENDING';

-- When the next one will be due, for the length of the pause.
CREATE INDEX "delivery_next_idx" ON "delivery"("next_attempt_at") WHERE "status" = 'PENDING';

-- What the retention sweep removes.
CREATE INDEX "delivery_finished_idx" ON "delivery"("finished_at") WHERE "finished_at" IS NOT NULL;
CREATE INDEX "webhook_deleted_idx" ON "webhook"("deleted_at") WHERE "deleted_at" IS NOT NULL;

ALTER TABLE "delivery"
    ADD CONSTRAINT "delivery_status_known" CHECK ("status" IN ('PENDING', 'DELIVERED', 'FAILED')),
    ADD CONSTRAINT "delivery_pending_is_due" CHECK (("status" = 'PENDING') = ("next_attempt_at" IS NOT NULL)),
    ADD CONSTRAINT "delivery_attempts_bounded" CHECK ("attempts_left" BETWEEN 0 AND 5);

-- Pending rows change often and are looked up by the partial indexes above: keep them vacuumed.
ALTER TABLE "delivery" SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.05);
