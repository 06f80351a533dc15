-- How many keys of a Principal work is counted before it gets another.
CREATE INDEX "credential_principal_id_idx" ON "credential"("principal_id")
    WHERE "principal_id" IS NOT NULL AND "revoked_at" IS NULL;
