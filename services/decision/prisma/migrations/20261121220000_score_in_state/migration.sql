-- The score is part of the state; nothing reads it by itself.
ALTER TABLE "agent_profile" DROP COLUMN "kya_score";
