-- What the schema language cannot say: words, one-of-a-kind rules, and what may never be changed.

-- A DID names one agent at a time; a revoked agent gives its name free.
CREATE UNIQUE INDEX "agents_did_live_key" ON "agents"("did") WHERE "status" <> 'REVOKED';

-- The mandates a decision reads, newest first, however many were revoked before them.
CREATE INDEX "mandates_agent_id_ordinal_active_idx" ON "mandates"("agent_id", "ordinal" DESC)
  WHERE "status" = 'ACTIVE';

-- The mandates that an agent still has, without those that have expired, of which an agent that gets
-- one for every purchase has hundreds of thousands; valid_from tells in the index which have begun. All
-- have an end: the condition keeps the index from statements that do not compare it, which would have
-- to sort what they read by it.
CREATE INDEX "mandates_agent_id_valid_until_active_idx"
  ON "mandates"("agent_id", "valid_until", "valid_from")
  WHERE "status" = 'ACTIVE' AND "valid_until" IS NOT NULL;

ALTER TABLE "programs"
  ADD CONSTRAINT "programs_status_check" CHECK ("status" IN ('ACTIVE', 'PAUSED', 'CLOSED')),
  ADD CONSTRAINT "programs_rails_check"
    CHECK ("rails" <@ ARRAY['card', 'crypto'] AND cardinality("rails") > 0),
  ADD CONSTRAINT "programs_verification_mode_check"
    CHECK ("verification_mode" IN ('client_attested', 'platform_provider', 'any'));

ALTER TABLE "principals"
  ADD CONSTRAINT "principals_kind_check" CHECK ("principal_kind" IN ('personal', 'merchant')),
  ADD CONSTRAINT "principals_verification_mode_check"
    CHECK ("verification_mode" IN ('client_attested', 'platform_provider')),
  ADD CONSTRAINT "principals_verification_status_check"
    CHECK ("verification_status" IN ('PENDING', 'VERIFIED', 'FAILED', 'EXPIRED')),
  ADD CONSTRAINT "principals_risk_tier_check"
    CHECK ("risk_tier" IN ('LOW', 'MEDIUM', 'HIGH', 'PROHIBITED'));

ALTER TABLE "verification_sessions"
  ADD CONSTRAINT "verification_sessions_status_check" CHECK (
    "status" IN ('REQUIRES_INPUT', 'PROCESSING', 'VERIFIED', 'FAILED', 'CANCELED', 'EXPIRED')
  );

ALTER TABLE "agents"
  ADD CONSTRAINT "agents_status_check" CHECK ("status" IN ('ACTIVE', 'SUSPENDED', 'REVOKED')),
  ADD CONSTRAINT "agents_trust_level_check"
    CHECK ("trust_level" IN ('REGISTERED', 'VERIFIED', 'TRUSTED')),
  ADD CONSTRAINT "agents_key_check"
    CHECK (("public_key_jwk_json" IS NULL) = ("key_thumbprint" IS NULL));

ALTER TABLE "mandates"
  ADD CONSTRAINT "mandates_status_check"
    CHECK ("status" IN ('ACTIVE', 'REVOKED') AND ("status" = 'REVOKED') = ("revoked_at" IS NOT NULL)),
  ADD CONSTRAINT "mandates_rails_check"
    CHECK ("rails" <@ ARRAY['card', 'crypto'] AND cardinality("rails") > 0),
  ADD CONSTRAINT "mandates_limits_check" CHECK (
    "max_per_transaction" > 0 AND "max_daily" > 0 AND "max_monthly" > 0
    AND "max_daily_count" > 0 AND "max_monthly_count" > 0 AND "crypto_max_transfer" > 0
  ),
  ADD CONSTRAINT "mandates_validity_check" CHECK ("valid_from" < "valid_until");

-- The one change a mandate knows is its revocation. Everything else is a new mandate, or its hash
-- would no longer name what was granted.
CREATE FUNCTION refuse_mandate_change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  revocation CONSTANT text[] := ARRAY['status', 'version', 'revoked_at'];
BEGIN
  IF TG_OP = 'UPDATE'
    AND OLD.status = 'ACTIVE' AND NEW.status = 'REVOKED' AND NEW.version = OLD.version + 1
    AND to_jsonb(NEW) - revocation = to_jsonb(OLD) - revocation
  THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION 'a mandate can only be revoked' USING ERRCODE = 'restrict_violation';
END;
$$;

CREATE TRIGGER "mandates_immutable" BEFORE UPDATE OR DELETE ON "mandates"
  FOR EACH ROW EXECUTE FUNCTION refuse_mandate_change();
CREATE TRIGGER "mandates_kept" BEFORE TRUNCATE ON "mandates"
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_mandate_change();

-- A version only grows: were it to fall, a fence of the ledger would let an old judgement pass.
CREATE FUNCTION refuse_version_fall() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.version < OLD.version THEN
    RAISE EXCEPTION 'a version only grows' USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NEW;
END;
$$;

CREATE TRIGGER "programs_version" BEFORE UPDATE ON "programs"
  FOR EACH ROW EXECUTE FUNCTION refuse_version_fall();
CREATE TRIGGER "principals_version" BEFORE UPDATE ON "principals"
  FOR EACH ROW EXECUTE FUNCTION refuse_version_fall();
CREATE TRIGGER "agents_version" BEFORE UPDATE ON "agents"
  FOR EACH ROW EXECUTE FUNCTION refuse_version_fall();
