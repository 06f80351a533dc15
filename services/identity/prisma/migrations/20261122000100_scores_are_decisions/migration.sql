-- Scores belong to decision, which keeps them with the agent's profile.
-- AlterTable
ALTER TABLE "agents" DROP COLUMN "kya_score",
DROP COLUMN "scored_at";
