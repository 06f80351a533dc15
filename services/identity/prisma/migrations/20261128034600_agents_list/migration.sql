-- Counts the agents of a list, with any of its filters, without a look at their rows.
CREATE INDEX "agents_list_idx" ON "agents"("principal_id", "created_at", "id", "client_id", "status", "trust_level");

DROP INDEX "agents_principal_id_created_at_id_idx";
