-- What the schema language cannot say: words, one-of-a-kind rules, and what may never be changed.

ALTER TABLE "client"
  ADD CONSTRAINT "client_status_check" CHECK ("status" IN ('ACTIVE', 'SUSPENDED'));

-- What a credential is says which of its columns are filled.
ALTER TABLE "credential"
  ADD CONSTRAINT "credential_environment_check" CHECK ("environment" IN ('live', 'sandbox')),
  ADD CONSTRAINT "credential_kind_check" CHECK (
    ("kind" = 'api_key' AND "principal_id" IS NULL AND "oauth_client_id" IS NULL)
    OR ("kind" = 'oauth_client' AND "principal_id" IS NULL AND "oauth_client_id" IS NOT NULL)
    OR ("kind" = 'principal_key' AND "principal_id" IS NOT NULL AND "oauth_client_id" IS NULL
        AND "environment" = 'sandbox')
  ),
  ALTER COLUMN "scopes" SET NOT NULL,
  ALTER COLUMN "ip_allowlist" SET NOT NULL,
  ADD CONSTRAINT "credential_previous_check"
    CHECK (("previous_hash" IS NULL) = ("previous_expires_at" IS NULL)),
  ADD CONSTRAINT "credential_access_check" CHECK ("access" IN ('full', 'read'));

-- How many keys of a Principal work is counted before it gets another.
CREATE INDEX "credential_principal_id_idx" ON "credential"("principal_id")
    WHERE "principal_id" IS NOT NULL AND "revoked_at" IS NULL;

-- One key signs the tokens of an environment; several replicas may try to make the first.
ALTER TABLE "token_key"
  ADD CONSTRAINT "token_key_environment_check" CHECK ("environment" IN ('live', 'sandbox')),
  ADD CONSTRAINT "token_key_status_check" CHECK ("status" IN ('ACTIVE', 'RETIRED'));
CREATE UNIQUE INDEX "token_key_active_key" ON "token_key"("environment") WHERE "status" = 'ACTIVE';

ALTER TABLE "onboarding_idempotency"
  ADD CONSTRAINT "onboarding_idempotency_state_check" CHECK ("state" IN ('pending', 'done'));

-- A revoked credential stays revoked, and no version is ever given out twice.
CREATE FUNCTION "refuse_credential_rewind"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD."revoked_at" IS NOT NULL AND NEW."revoked_at" IS DISTINCT FROM OLD."revoked_at" THEN
    RAISE EXCEPTION 'revoking a credential cannot be undone' USING ERRCODE = 'restrict_violation';
  END IF;
  IF NEW."version" <= OLD."version" THEN
    RAISE EXCEPTION 'a change of a credential needs a new version'
      USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER "credential_rewind" BEFORE UPDATE ON "credential"
  FOR EACH ROW EXECUTE FUNCTION "refuse_credential_rewind"();

-- The audit trail is added to and never changed.
CREATE FUNCTION "refuse_audit_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER "operator_audit_append_only" BEFORE UPDATE OR DELETE ON "operator_audit"
  FOR EACH ROW EXECUTE FUNCTION "refuse_audit_change"();
CREATE TRIGGER "operator_audit_keep" BEFORE TRUNCATE ON "operator_audit"
  FOR EACH STATEMENT EXECUTE FUNCTION "refuse_audit_change"();
CREATE TRIGGER "operator_audit_outcome_append_only" BEFORE UPDATE OR DELETE
  ON "operator_audit_outcome" FOR EACH ROW EXECUTE FUNCTION "refuse_audit_change"();
CREATE TRIGGER "operator_audit_outcome_keep" BEFORE TRUNCATE ON "operator_audit_outcome"
  FOR EACH STATEMENT EXECUTE FUNCTION "refuse_audit_change"();
