-- AlterTable
ALTER TABLE "pending_step_up" ADD COLUMN     "agent_id" TEXT;

-- CreateIndex
CREATE INDEX "pending_step_up_agent_idx" ON "pending_step_up"("agent_id", "expires_at");
