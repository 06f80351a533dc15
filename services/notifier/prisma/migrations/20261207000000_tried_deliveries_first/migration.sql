-- What is due, by webhook: events that have been tried before those that have not, so that the
-- attempts of an event end however many new ones arrive. 5 is the number of attempts of a series.
-- The release before claims by delivery_due_idx, which stays.
CREATE INDEX "delivery_tried_due_idx"
    ON "delivery"("webhook_id", ("attempts_left" = 5), "next_attempt_at")
    WHERE "status" = 'PENDING';
