-- The mandates that an agent still has, without those that have expired, of which an agent that gets
-- one for every purchase has hundreds of thousands; valid_from tells in the index which have begun. All
-- have an end: the condition keeps the index from statements that do not compare it, which would have
-- to sort what they read by it.
CREATE INDEX "mandates_agent_id_valid_until_active_idx"
  ON "mandates"("agent_id", "valid_until", "valid_from")
  WHERE "status" = 'ACTIVE' AND "valid_until" IS NOT NULL;
