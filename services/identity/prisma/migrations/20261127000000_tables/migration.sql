-- CreateTable
CREATE TABLE "programs" (
    "id" TEXT NOT NULL,
    "client_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'ACTIVE',
    "rails" TEXT[],
    "verification_mode" TEXT NOT NULL DEFAULT 'any',
    "default_currency" TEXT NOT NULL DEFAULT 'USD',
    "ceiling_per_transaction" DECIMAL(38,18),
    "ceiling_daily" DECIMAL(38,18),
    "ceiling_monthly" DECIMAL(38,18),
    "fraud_triage_enabled" BOOLEAN NOT NULL DEFAULT false,
    "metadata_json" TEXT NOT NULL DEFAULT '{}',
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "programs_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "principals" (
    "id" TEXT NOT NULL,
    "client_id" TEXT NOT NULL,
    "principal_kind" TEXT NOT NULL,
    "client_customer_ref" TEXT,
    "verification_type" TEXT NOT NULL,
    "verification_mode" TEXT NOT NULL,
    "verification_status" TEXT NOT NULL,
    "verification_expires_at" TIMESTAMPTZ(3),
    "attestation_json" TEXT,
    "risk_tier" TEXT NOT NULL DEFAULT 'LOW',
    "metadata_json" TEXT NOT NULL DEFAULT '{}',
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "principals_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "profiles" (
    "principal_id" TEXT NOT NULL,
    "display_name" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "phone" TEXT,
    "country" TEXT,
    "step_up_method" TEXT,
    "step_up_phone" TEXT,

    CONSTRAINT "profiles_pkey" PRIMARY KEY ("principal_id")
);

-- CreateTable
CREATE TABLE "enrolments" (
    "principal_id" TEXT NOT NULL,
    "program_id" TEXT NOT NULL,
    "seq" BIGSERIAL NOT NULL,
    "enrolled_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "enrolments_pkey" PRIMARY KEY ("principal_id","program_id")
);

-- CreateTable
CREATE TABLE "verification_sessions" (
    "id" TEXT NOT NULL,
    "principal_id" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "provider" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "url" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "resolved_at" TIMESTAMPTZ(3),

    CONSTRAINT "verification_sessions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "agents" (
    "id" TEXT NOT NULL,
    "principal_id" TEXT NOT NULL,
    "client_id" TEXT NOT NULL,
    "program_id" TEXT,
    "did" TEXT NOT NULL,
    "did_method" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'ACTIVE',
    "trust_level" TEXT NOT NULL DEFAULT 'REGISTERED',
    "trust_changed_at" TIMESTAMPTZ(3),
    "capabilities" TEXT[],
    "public_key_jwk_json" TEXT,
    "key_thumbprint" TEXT,
    "vi_capable" BOOLEAN NOT NULL DEFAULT false,
    "external_agent_ref" TEXT,
    "metadata_json" TEXT NOT NULL DEFAULT '{}',
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "agents_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "agent_status_changes" (
    "id" BIGSERIAL NOT NULL,
    "agent_id" TEXT NOT NULL,
    "from_status" TEXT NOT NULL,
    "to_status" TEXT NOT NULL,
    "reason" TEXT NOT NULL,
    "request_id" TEXT NOT NULL,
    "changed_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "agent_status_changes_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "mandates" (
    "id" TEXT NOT NULL,
    "agent_id" TEXT NOT NULL,
    "principal_id" TEXT NOT NULL,
    "client_id" TEXT NOT NULL,
    "program_id" TEXT,
    "ordinal" INTEGER NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'ACTIVE',
    "rails" TEXT[],
    "currency" TEXT NOT NULL,
    "max_per_transaction" DECIMAL(38,18) NOT NULL,
    "max_daily" DECIMAL(38,18),
    "max_monthly" DECIMAL(38,18),
    "max_daily_count" INTEGER,
    "max_monthly_count" INTEGER,
    "allowed_mccs" TEXT[],
    "blocked_mccs" TEXT[],
    "allowed_countries" TEXT[],
    "blocked_countries" TEXT[],
    "allowed_merchants" TEXT[],
    "blocked_merchants" TEXT[],
    "allowed_chains" TEXT[],
    "allowed_assets" TEXT[],
    "allowed_counterparties" TEXT[],
    "crypto_max_transfer" DECIMAL(38,18),
    "valid_from" TIMESTAMPTZ(3) NOT NULL,
    "valid_until" TIMESTAMPTZ(3) NOT NULL,
    "mandate_hash" TEXT NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "mandates_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "pending_fences" (
    "entity_id" TEXT NOT NULL,
    "version" INTEGER NOT NULL,
    "revoked" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "pending_fences_pkey" PRIMARY KEY ("entity_id")
);

-- CreateTable
CREATE TABLE "pending_revocations" (
    "agent_id" TEXT NOT NULL,
    "below" INTEGER NOT NULL,
    "request_id" TEXT NOT NULL,
    "revoked_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "pending_revocations_pkey" PRIMARY KEY ("agent_id")
);

-- CreateTable
CREATE TABLE "registration_proof_jti" (
    "key_thumbprint" TEXT NOT NULL,
    "jti" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "registration_proof_jti_pkey" PRIMARY KEY ("key_thumbprint","jti")
);

-- CreateTable
CREATE TABLE "outbox" (
    "seq" BIGSERIAL NOT NULL,
    "event_id" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "payload" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "published_at" TIMESTAMPTZ(3),

    CONSTRAINT "outbox_pkey" PRIMARY KEY ("seq")
);

-- CreateTable
CREATE TABLE "unpublished" (
    "seq" BIGINT NOT NULL,

    CONSTRAINT "unpublished_pkey" PRIMARY KEY ("seq")
);

-- CreateTable
CREATE TABLE "inbox" (
    "event_id" TEXT NOT NULL,
    "received_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "inbox_pkey" PRIMARY KEY ("event_id")
);

-- CreateIndex
CREATE INDEX "programs_client_id_created_at_id_idx" ON "programs"("client_id", "created_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "principals_client_id_client_customer_ref_key" ON "principals"("client_id", "client_customer_ref");

-- CreateIndex
CREATE INDEX "verification_sessions_principal_id_created_at_idx" ON "verification_sessions"("principal_id", "created_at");

-- CreateIndex
CREATE INDEX "agents_principal_id_created_at_id_idx" ON "agents"("principal_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "agents_did_idx" ON "agents"("did");

-- CreateIndex
CREATE INDEX "agent_status_changes_agent_id_idx" ON "agent_status_changes"("agent_id");

-- CreateIndex
CREATE UNIQUE INDEX "mandates_agent_id_ordinal_key" ON "mandates"("agent_id", "ordinal");

-- CreateIndex
CREATE INDEX "pending_fences_created_at_idx" ON "pending_fences"("created_at");

-- CreateIndex
CREATE INDEX "registration_proof_jti_expires_at_idx" ON "registration_proof_jti"("expires_at");

-- CreateIndex
CREATE UNIQUE INDEX "outbox_event_id_key" ON "outbox"("event_id");

-- CreateIndex
CREATE INDEX "inbox_received_at_idx" ON "inbox"("received_at");

-- AddForeignKey
ALTER TABLE "profiles" ADD CONSTRAINT "profiles_principal_id_fkey" FOREIGN KEY ("principal_id") REFERENCES "principals"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "enrolments" ADD CONSTRAINT "enrolments_principal_id_fkey" FOREIGN KEY ("principal_id") REFERENCES "principals"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "enrolments" ADD CONSTRAINT "enrolments_program_id_fkey" FOREIGN KEY ("program_id") REFERENCES "programs"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "verification_sessions" ADD CONSTRAINT "verification_sessions_principal_id_fkey" FOREIGN KEY ("principal_id") REFERENCES "principals"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "agents" ADD CONSTRAINT "agents_principal_id_fkey" FOREIGN KEY ("principal_id") REFERENCES "principals"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "agents" ADD CONSTRAINT "agents_program_id_fkey" FOREIGN KEY ("program_id") REFERENCES "programs"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "agent_status_changes" ADD CONSTRAINT "agent_status_changes_agent_id_fkey" FOREIGN KEY ("agent_id") REFERENCES "agents"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "mandates" ADD CONSTRAINT "mandates_agent_id_fkey" FOREIGN KEY ("agent_id") REFERENCES "agents"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "mandates" ADD CONSTRAINT "mandates_principal_id_fkey" FOREIGN KEY ("principal_id") REFERENCES "principals"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "mandates" ADD CONSTRAINT "mandates_program_id_fkey" FOREIGN KEY ("program_id") REFERENCES "programs"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
