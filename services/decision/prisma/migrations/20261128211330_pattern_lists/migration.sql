-- Patterns are listed newest first, of a Principal or of all; nothing reads them by agent.

-- DropIndex
DROP INDEX "fraud_pattern_agent_id_created_at_idx";

-- DropIndex
DROP INDEX "fraud_pattern_created_at_idx";

-- CreateIndex
CREATE INDEX "fraud_pattern_principal_id_created_at_id_idx" ON "fraud_pattern"("principal_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "fraud_pattern_created_at_id_idx" ON "fraud_pattern"("created_at", "id");
