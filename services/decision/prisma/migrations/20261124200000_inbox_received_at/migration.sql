-- CreateIndex
CREATE INDEX "inbox_received_at_idx" ON "inbox"("received_at");
