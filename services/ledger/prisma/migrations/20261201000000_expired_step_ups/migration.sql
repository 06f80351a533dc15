-- That nobody answered a challenge in time is told once; it stays in the list of what is pending.
ALTER TABLE "pending_step_up" ADD COLUMN     "expiry_told_at" TIMESTAMPTZ(3);

-- What is still to be told of, the first to expire first.
CREATE INDEX pending_step_up_untold ON pending_step_up (expires_at) WHERE expiry_told_at IS NULL;
