-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "public";

-- CreateTable
CREATE TABLE "authorization_record" (
    "id" TEXT NOT NULL,
    "client_id" TEXT NOT NULL,
    "principal_id" TEXT NOT NULL,
    "agent_id" TEXT,
    "mandate_id" TEXT,
    "program_id" TEXT,
    "transaction_id" TEXT NOT NULL,
    "correlation_key" TEXT NOT NULL,
    "idempotency_key" TEXT,
    "body_hash" TEXT NOT NULL,
    "decision" TEXT NOT NULL,
    "reason_codes" TEXT[],
    "amount" DECIMAL(38,18) NOT NULL,
    "currency" TEXT NOT NULL,
    "exponent" SMALLINT NOT NULL,
    "rail" TEXT NOT NULL,
    "mcc" TEXT,
    "country" TEXT,
    "merchant_id" TEXT,
    "merchant_name" TEXT,
    "client_reference" TEXT,
    "network_rrn" TEXT,
    "network_stan" TEXT,
    "auth_code" TEXT,
    "network_reference" TEXT,
    "tx_hash" TEXT,
    "chain_id" TEXT,
    "daily_amount_limit" DECIMAL(38,18),
    "monthly_amount_limit" DECIMAL(38,18),
    "daily_count_limit" BIGINT,
    "monthly_count_limit" BIGINT,
    "counted_day" TEXT,
    "step_up_expires_at" TIMESTAMPTZ(3),
    "kya_score" DOUBLE PRECISION NOT NULL,
    "trust_level" TEXT NOT NULL,
    "risk_score" DOUBLE PRECISION NOT NULL,
    "vi_verified" BOOLEAN NOT NULL,
    "processing_time_ms" DOUBLE PRECISION NOT NULL,
    "mandate_hash" TEXT,
    "policy_hash" TEXT NOT NULL,
    "input_hash" TEXT NOT NULL,
    "facts" TEXT NOT NULL,
    "answer" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "authorization_record_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "step_up_answer" (
    "authorization_id" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "answered_at" TIMESTAMPTZ(3) NOT NULL,
    "answered_by" TEXT NOT NULL,
    "reason" TEXT,
    "counted_day" TEXT,
    "attestation" TEXT,

    CONSTRAINT "step_up_answer_pkey" PRIMARY KEY ("authorization_id")
);

-- CreateTable
CREATE TABLE "pending_step_up" (
    "authorization_id" TEXT NOT NULL,
    "principal_id" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "pending_step_up_pkey" PRIMARY KEY ("authorization_id")
);

-- CreateTable
CREATE TABLE "reversal" (
    "id" TEXT NOT NULL,
    "authorization_id" TEXT NOT NULL,
    "amount" DECIMAL(38,18) NOT NULL,
    "count_released" BOOLEAN NOT NULL,
    "partial" BOOLEAN NOT NULL,
    "reason" TEXT,
    "requested_by" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "reversal_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "outcome" (
    "id" TEXT NOT NULL,
    "revision" INTEGER NOT NULL,
    "authorization_id" TEXT NOT NULL,
    "principal_id" TEXT NOT NULL,
    "outcome_type" TEXT NOT NULL,
    "reported_at" TIMESTAMPTZ(3) NOT NULL,
    "reported_by" TEXT NOT NULL,
    "evidence" TEXT,
    "notes" TEXT,
    "external_reference_id" TEXT,
    "settled_amount" DECIMAL(38,18),
    "settled_currency" TEXT,
    "settled_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "recorded_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "outcome_pkey" PRIMARY KEY ("id","revision")
);

-- CreateTable
CREATE TABLE "reference" (
    "authorization_id" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "principal_id" TEXT NOT NULL,
    "value" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "reference_pkey" PRIMARY KEY ("authorization_id","kind")
);

-- CreateTable
CREATE TABLE "mandate_usage" (
    "mandate_id" TEXT NOT NULL,
    "day" TEXT NOT NULL DEFAULT '',
    "day_amount" DECIMAL(38,18) NOT NULL DEFAULT 0,
    "day_count" BIGINT NOT NULL DEFAULT 0,
    "month" TEXT NOT NULL DEFAULT '',
    "month_amount" DECIMAL(38,18) NOT NULL DEFAULT 0,
    "month_count" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "mandate_usage_pkey" PRIMARY KEY ("mandate_id")
);

-- CreateTable
CREATE TABLE "fence" (
    "entity_id" TEXT NOT NULL,
    "version" INTEGER NOT NULL,

    CONSTRAINT "fence_pkey" PRIMARY KEY ("entity_id")
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
CREATE TABLE "inbox" (
    "event_id" TEXT NOT NULL,
    "received_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "inbox_pkey" PRIMARY KEY ("event_id")
);

-- CreateIndex
CREATE INDEX "authorization_record_agent_idx" ON "authorization_record"("principal_id", "agent_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "authorization_record_transaction_id_idx" ON "authorization_record"("transaction_id");

-- CreateIndex
CREATE INDEX "pending_step_up_principal_idx" ON "pending_step_up"("principal_id", "created_at" DESC, "authorization_id" DESC);

-- CreateIndex
CREATE INDEX "reversal_authorization_id_idx" ON "reversal"("authorization_id");

-- CreateIndex
CREATE UNIQUE INDEX "outcome_once" ON "outcome"("authorization_id", "outcome_type", "revision");

-- CreateIndex
CREATE INDEX "reference_value_idx" ON "reference"("principal_id", "kind", "value");

-- CreateIndex
CREATE UNIQUE INDEX "outbox_event_id_key" ON "outbox"("event_id");

-- AddForeignKey
ALTER TABLE "step_up_answer" ADD CONSTRAINT "step_up_answer_authorization_id_fkey" FOREIGN KEY ("authorization_id") REFERENCES "authorization_record"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "pending_step_up" ADD CONSTRAINT "pending_step_up_authorization_id_fkey" FOREIGN KEY ("authorization_id") REFERENCES "authorization_record"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "reversal" ADD CONSTRAINT "reversal_authorization_id_fkey" FOREIGN KEY ("authorization_id") REFERENCES "authorization_record"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "outcome" ADD CONSTRAINT "outcome_authorization_id_fkey" FOREIGN KEY ("authorization_id") REFERENCES "authorization_record"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "reference" ADD CONSTRAINT "reference_authorization_id_fkey" FOREIGN KEY ("authorization_id") REFERENCES "authorization_record"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;
