-- CreateTable
CREATE TABLE "threshold_override" (
    "principal_id" TEXT NOT NULL,
    "overrides" JSONB NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "threshold_override_pkey" PRIMARY KEY ("principal_id")
);

-- CreateTable
CREATE TABLE "agent_profile" (
    "agent_id" TEXT NOT NULL,
    "version" INTEGER NOT NULL,
    "packed" TEXT NOT NULL,
    "traces_since" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "agent_profile_pkey" PRIMARY KEY ("agent_id")
);

-- CreateTable
CREATE TABLE "agent_trace" (
    "agent_id" TEXT NOT NULL,
    "version" INTEGER NOT NULL,
    "approved" BOOLEAN NOT NULL,
    "decided_at" BIGINT NOT NULL,
    "name" BIGINT NOT NULL,
    "packed" TEXT NOT NULL,

    CONSTRAINT "agent_trace_pkey" PRIMARY KEY ("agent_id","version")
);

-- CreateTable
CREATE TABLE "profile_entry" (
    "authorization_id" TEXT NOT NULL,
    "agent_id" TEXT NOT NULL,
    "packed" TEXT NOT NULL,

    CONSTRAINT "profile_entry_pkey" PRIMARY KEY ("authorization_id")
);

-- CreateTable
CREATE TABLE "agent_merchant" (
    "agent_id" TEXT NOT NULL,
    "merchant" TEXT NOT NULL,
    "authorization_id" TEXT NOT NULL,

    CONSTRAINT "agent_merchant_pkey" PRIMARY KEY ("agent_id","merchant")
);

-- CreateTable
CREATE TABLE "signing_key" (
    "kid" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "public_jwk" JSONB NOT NULL,
    "sealed_private" BYTEA,
    "sealed_by" TEXT,
    "not_before" TIMESTAMPTZ(3) NOT NULL,
    "activated_at" TIMESTAMPTZ(3),
    "retired_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "signing_key_pkey" PRIMARY KEY ("kid")
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

-- CreateTable
CREATE TABLE "fraud_case" (
    "id" TEXT NOT NULL,
    "authorization_id" TEXT NOT NULL,
    "client_id" TEXT NOT NULL,
    "principal_id" TEXT NOT NULL,
    "agent_id" TEXT NOT NULL,
    "program_id" TEXT,
    "severity" TEXT NOT NULL,
    "signals" JSONB NOT NULL,
    "amount" TEXT NOT NULL,
    "currency" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'OPEN',
    "resolution" TEXT,
    "resolved_by" TEXT,
    "resolved_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "fraud_case_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "fraud_pattern" (
    "id" TEXT NOT NULL,
    "agent_id" TEXT NOT NULL,
    "principal_id" TEXT NOT NULL,
    "confidence" DOUBLE PRECISION NOT NULL,
    "indicators" TEXT[],
    "authorization_ids" TEXT[],
    "recommended_action" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "fraud_pattern_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "agent_watch" (
    "agent_id" TEXT NOT NULL,
    "principal_id" TEXT NOT NULL,
    "state" JSONB NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "agent_watch_pkey" PRIMARY KEY ("agent_id","principal_id")
);

-- CreateTable
CREATE TABLE "fraud_verdict" (
    "authorization_id" TEXT NOT NULL,
    "principal_id" TEXT NOT NULL,
    "resolution" TEXT NOT NULL,
    "reported_by" TEXT NOT NULL,
    "reported_at" TIMESTAMPTZ(3) NOT NULL,
    "heard_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "fraud_verdict_pkey" PRIMARY KEY ("authorization_id")
);

-- CreateIndex
CREATE UNIQUE INDEX "outbox_event_id_key" ON "outbox"("event_id");

-- CreateIndex
CREATE INDEX "inbox_received_at_idx" ON "inbox"("received_at");

-- CreateIndex
CREATE UNIQUE INDEX "fraud_case_authorization_id_key" ON "fraud_case"("authorization_id");

-- CreateIndex
CREATE INDEX "fraud_case_principal_id_created_at_id_idx" ON "fraud_case"("principal_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "fraud_case_created_at_idx" ON "fraud_case"("created_at");

-- CreateIndex
CREATE INDEX "fraud_pattern_agent_id_created_at_idx" ON "fraud_pattern"("agent_id", "created_at");

-- CreateIndex
CREATE INDEX "fraud_pattern_created_at_idx" ON "fraud_pattern"("created_at");

-- CreateIndex
CREATE INDEX "agent_watch_updated_at_idx" ON "agent_watch"("updated_at");

-- CreateIndex
CREATE INDEX "fraud_verdict_heard_at_idx" ON "fraud_verdict"("heard_at");
