-- What is to be sent, the longest due first.
CREATE INDEX "one_time_code_due_idx" ON "one_time_code"("next_attempt_at")
    WHERE "status" = 'PENDING';

ALTER TABLE "one_time_code"
    ADD CONSTRAINT "one_time_code_status_known" CHECK ("status" IN ('PENDING', 'SENT', 'NO_METHOD', 'FAILED')),
    ADD CONSTRAINT "one_time_code_channel_known" CHECK ("channel" IN ('email', 'sms')),
    ADD CONSTRAINT "one_time_code_pending_is_due" CHECK (("status" = 'PENDING') = ("next_attempt_at" IS NOT NULL)),
    -- Whatever the service does, nobody gets a sixth guess.
    ADD CONSTRAINT "one_time_code_tries_bounded" CHECK ("tries" BETWEEN 0 AND 5);
