-- What is due, by webhook: events that have been tried before those that have not, so that the
-- attempts of an event end however many new ones arrive. The claim skips from webhook to webhook and
-- takes a few of each, so a long backlog of one endpoint costs the others nothing. 5 is the number of
-- attempts of a series.
CREATE INDEX "delivery_tried_due_idx"
    ON "delivery"("webhook_id", ("attempts_left" = 5), "next_attempt_at")
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

-- What is to be sent, the longest due first.
CREATE INDEX "one_time_code_due_idx" ON "one_time_code"("next_attempt_at")
    WHERE "status" = 'PENDING';

ALTER TABLE "one_time_code"
    ADD CONSTRAINT "one_time_code_status_known" CHECK ("status" IN ('PENDING', 'SENT', 'NO_METHOD', 'FAILED')),
    ADD CONSTRAINT "one_time_code_channel_known" CHECK ("channel" IN ('email', 'sms')),
    ADD CONSTRAINT "one_time_code_pending_is_due" CHECK (("status" = 'PENDING') = ("next_attempt_at" IS NOT NULL)),
    -- Whatever the service does, nobody gets a sixth guess.
    ADD CONSTRAINT "one_time_code_tries_bounded" CHECK ("tries" BETWEEN 0 AND 5);
