-- CreateTable
CREATE TABLE "client" (
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'ACTIVE',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "client_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "credential" (
    "id" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "client_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "principal_id" TEXT,
    "oauth_client_id" TEXT,
    "secret_hash" TEXT NOT NULL,
    "previous_hash" TEXT,
    "previous_expires_at" TIMESTAMPTZ(3),
    "hint" TEXT NOT NULL,
    "scopes" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "access" TEXT NOT NULL DEFAULT 'full',
    "ip_allowlist" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "expires_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),
    "label" TEXT,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "credential_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "credential_announcement" (
    "credential_id" TEXT NOT NULL,
    "version" INTEGER NOT NULL,

    CONSTRAINT "credential_announcement_pkey" PRIMARY KEY ("credential_id")
);

-- CreateTable
CREATE TABLE "gateway_replica" (
    "instance" TEXT NOT NULL,
    "turn" BIGSERIAL NOT NULL,
    "seen_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "gateway_replica_pkey" PRIMARY KEY ("instance")
);

-- CreateTable
CREATE TABLE "token_key" (
    "kid" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'ACTIVE',
    "public_jwk" JSONB NOT NULL,
    "sealed_private" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "token_key_pkey" PRIMARY KEY ("kid")
);

-- CreateTable
CREATE TABLE "operator_audit" (
    "id" TEXT NOT NULL,
    "action" TEXT NOT NULL,
    "method" TEXT NOT NULL,
    "path" TEXT NOT NULL,
    "target" TEXT,
    "environment" TEXT,
    "request_id" TEXT NOT NULL,
    "ip" TEXT NOT NULL,
    "body" JSONB,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "operator_audit_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "operator_audit_outcome" (
    "audit_id" TEXT NOT NULL,
    "status" INTEGER NOT NULL,
    "error_code" TEXT,
    "target" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "operator_audit_outcome_pkey" PRIMARY KEY ("audit_id")
);

-- CreateTable
CREATE TABLE "onboarding_idempotency" (
    "client_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "body_hash" TEXT NOT NULL,
    "minted" JSONB NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'pending',
    "lease_until" TIMESTAMPTZ(3) NOT NULL,
    "status" INTEGER,
    "body" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "onboarding_idempotency_pkey" PRIMARY KEY ("client_id","environment","key")
);

-- CreateIndex
CREATE INDEX "client_created_at_id_idx" ON "client"("created_at" DESC, "id" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "credential_oauth_client_id_key" ON "credential"("oauth_client_id");

-- CreateIndex
CREATE UNIQUE INDEX "credential_secret_hash_key" ON "credential"("secret_hash");

-- CreateIndex
CREATE INDEX "credential_previous_hash_idx" ON "credential"("previous_hash");

-- CreateIndex
CREATE INDEX "credential_client_id_created_at_id_idx" ON "credential"("client_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "operator_audit_created_at_id_idx" ON "operator_audit"("created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "onboarding_idempotency_created_at_idx" ON "onboarding_idempotency"("created_at");

-- AddForeignKey
ALTER TABLE "credential" ADD CONSTRAINT "credential_client_id_fkey" FOREIGN KEY ("client_id") REFERENCES "client"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "credential_announcement" ADD CONSTRAINT "credential_announcement_credential_id_fkey" FOREIGN KEY ("credential_id") REFERENCES "credential"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "operator_audit_outcome" ADD CONSTRAINT "operator_audit_outcome_audit_id_fkey" FOREIGN KEY ("audit_id") REFERENCES "operator_audit"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
