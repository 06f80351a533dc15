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
    "txid" xid8 NOT NULL DEFAULT pg_current_xact_id(),
    "basis_hash" TEXT,

    CONSTRAINT "authorization_record_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "decision_basis" (
    "hash" TEXT NOT NULL,
    "body" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "txid" xid8 NOT NULL DEFAULT pg_current_xact_id(),

    CONSTRAINT "decision_basis_pkey" PRIMARY KEY ("hash")
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
    "txid" xid8 NOT NULL DEFAULT pg_current_xact_id(),

    CONSTRAINT "step_up_answer_pkey" PRIMARY KEY ("authorization_id")
);

-- CreateTable
CREATE TABLE "pending_step_up" (
    "authorization_id" TEXT NOT NULL,
    "principal_id" TEXT NOT NULL,
    "agent_id" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "expiry_told_at" TIMESTAMPTZ(3),

    CONSTRAINT "pending_step_up_pkey" PRIMARY KEY ("authorization_id")
);

-- CreateTable
CREATE TABLE "system_void" (
    "authorization_id" TEXT NOT NULL,
    "answer" TEXT NOT NULL,
    "facts" TEXT NOT NULL,
    "answered_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "txid" xid8 NOT NULL DEFAULT pg_current_xact_id(),

    CONSTRAINT "system_void_pkey" PRIMARY KEY ("authorization_id")
);

-- CreateTable
CREATE TABLE "first_answer" (
    "authorization_id" TEXT NOT NULL,
    "principal_id" TEXT NOT NULL,
    "idempotency_key" TEXT NOT NULL,
    "answered_at" TIMESTAMPTZ(3) NOT NULL,
    "txid" xid8 NOT NULL DEFAULT pg_current_xact_id(),

    CONSTRAINT "first_answer_pkey" PRIMARY KEY ("authorization_id")
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
    "txid" xid8 NOT NULL DEFAULT pg_current_xact_id(),

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
    "txid" xid8 NOT NULL DEFAULT pg_current_xact_id(),

    CONSTRAINT "outcome_pkey" PRIMARY KEY ("id","revision")
);

-- CreateTable
CREATE TABLE "reference" (
    "authorization_id" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "principal_id" TEXT NOT NULL,
    "value" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "txid" xid8 NOT NULL DEFAULT pg_current_xact_id(),

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
CREATE TABLE "chain_entry" (
    "seq" BIGINT NOT NULL,
    "kind" TEXT NOT NULL,
    "ref" TEXT NOT NULL,
    "txid" xid8 NOT NULL,
    "record_hash" TEXT NOT NULL,
    "previous_hash" TEXT NOT NULL,
    "entry_hash" TEXT NOT NULL,
    "format" SMALLINT NOT NULL DEFAULT 1,

    CONSTRAINT "chain_entry_pkey" PRIMARY KEY ("seq")
);

-- CreateTable
CREATE TABLE "chain_head" (
    "seq" BIGINT NOT NULL,
    "entry_hash" TEXT NOT NULL,
    "signed_at" TIMESTAMPTZ(3) NOT NULL,
    "kid" TEXT NOT NULL,
    "signature" TEXT NOT NULL,

    CONSTRAINT "chain_head_pkey" PRIMARY KEY ("seq")
);

-- CreateTable
CREATE TABLE "chain_key" (
    "kid" TEXT NOT NULL,
    "algorithm" TEXT NOT NULL,
    "public_jwk" TEXT NOT NULL,
    "sealed_private" BYTEA NOT NULL,
    "sealed_by" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "chain_key_pkey" PRIMARY KEY ("kid")
);

-- CreateTable
CREATE TABLE "intent_use" (
    "authorization_id" TEXT NOT NULL,
    "mandate_key" TEXT NOT NULL,
    "principal_id" TEXT NOT NULL,
    "issuer" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "user_key_thumbprint" TEXT NOT NULL,
    "subject_binding" TEXT NOT NULL,
    "amount_minor" DECIMAL(38,0) NOT NULL,
    "currency" TEXT NOT NULL,
    "max_occurrences" DECIMAL(38,0),
    "budget_minor" DECIMAL(38,0),
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "intent_use_pkey" PRIMARY KEY ("authorization_id")
);

-- CreateTable
CREATE TABLE "intent_usage" (
    "mandate_key" TEXT NOT NULL,
    "uses" BIGINT NOT NULL,
    "spent_minor" DECIMAL(60,0) NOT NULL,

    CONSTRAINT "intent_usage_pkey" PRIMARY KEY ("mandate_key")
);

-- CreateTable
CREATE TABLE "intent_counted" (
    "authorization_id" TEXT NOT NULL,
    "uses" SMALLINT NOT NULL,
    "spent_minor" DECIMAL(38,0) NOT NULL,

    CONSTRAINT "intent_counted_pkey" PRIMARY KEY ("authorization_id")
);

-- CreateTable
CREATE TABLE "intent_recount" (
    "seq" BIGSERIAL NOT NULL,
    "mandate_key" TEXT NOT NULL,
    "due_at" TIMESTAMPTZ(3) NOT NULL,
    "authorization_id" TEXT NOT NULL,

    CONSTRAINT "intent_recount_pkey" PRIMARY KEY ("seq")
);

-- CreateTable
CREATE TABLE "intent_nonce" (
    "signer_thumbprint" TEXT NOT NULL,
    "nonce" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "authorization_id" TEXT NOT NULL,

    CONSTRAINT "intent_nonce_pkey" PRIMARY KEY ("signer_thumbprint","nonce")
);

-- CreateTable
CREATE TABLE "intent_subject" (
    "principal_id" TEXT NOT NULL,
    "issuer" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "how" TEXT NOT NULL,
    "bound_at" TIMESTAMPTZ(3) NOT NULL,
    "user_key_thumbprint" TEXT,
    "authorization_id" TEXT,

    CONSTRAINT "intent_subject_pkey" PRIMARY KEY ("principal_id","issuer","subject")
);

-- CreateTable
CREATE TABLE "intent_evidence" (
    "authorization_id" TEXT NOT NULL,
    "sealed_chain" BYTEA NOT NULL,
    "sealed_by" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "intent_evidence_pkey" PRIMARY KEY ("authorization_id")
);

-- CreateIndex
CREATE INDEX "authorization_record_agent_idx" ON "authorization_record"("principal_id", "agent_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "authorization_record_transaction_id_idx" ON "authorization_record"("transaction_id");

-- CreateIndex
CREATE INDEX "authorization_record_chain" ON "authorization_record"("txid", "id");

-- CreateIndex
CREATE INDEX "step_up_answer_chain" ON "step_up_answer"("txid", "authorization_id");

-- CreateIndex
CREATE INDEX "pending_step_up_principal_idx" ON "pending_step_up"("principal_id", "created_at" DESC, "authorization_id" DESC);

-- CreateIndex
CREATE INDEX "pending_step_up_agent_idx" ON "pending_step_up"("agent_id", "expires_at");

-- CreateIndex
CREATE INDEX "system_void_chain" ON "system_void"("txid", "authorization_id");

-- CreateIndex
CREATE INDEX "first_answer_key_idx" ON "first_answer"("principal_id", "idempotency_key", "answered_at");

-- CreateIndex
CREATE INDEX "first_answer_chain" ON "first_answer"("txid", "authorization_id");

-- CreateIndex
CREATE INDEX "reversal_authorization_id_idx" ON "reversal"("authorization_id");

-- CreateIndex
CREATE INDEX "reversal_chain" ON "reversal"("txid", "id");

-- CreateIndex
CREATE UNIQUE INDEX "outcome_once" ON "outcome"("authorization_id", "outcome_type", "revision");

-- CreateIndex
CREATE INDEX "reference_value_idx" ON "reference"("principal_id", "kind", "value");

-- CreateIndex
CREATE UNIQUE INDEX "outbox_event_id_key" ON "outbox"("event_id");

-- CreateIndex
CREATE INDEX "chain_entry_kind_idx" ON "chain_entry"("kind", "seq");

-- CreateIndex
CREATE UNIQUE INDEX "chain_entry_once" ON "chain_entry"("kind", "ref");

-- CreateIndex
CREATE INDEX "intent_recount_mandate_key_due_at_idx" ON "intent_recount"("mandate_key", "due_at");

-- CreateIndex
CREATE INDEX "intent_nonce_expires_at_idx" ON "intent_nonce"("expires_at");

-- AddForeignKey
ALTER TABLE "step_up_answer" ADD CONSTRAINT "step_up_answer_authorization_id_fkey" FOREIGN KEY ("authorization_id") REFERENCES "authorization_record"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "pending_step_up" ADD CONSTRAINT "pending_step_up_authorization_id_fkey" FOREIGN KEY ("authorization_id") REFERENCES "authorization_record"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "system_void" ADD CONSTRAINT "system_void_authorization_id_fkey" FOREIGN KEY ("authorization_id") REFERENCES "authorization_record"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "first_answer" ADD CONSTRAINT "first_answer_authorization_id_fkey" FOREIGN KEY ("authorization_id") REFERENCES "authorization_record"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "reversal" ADD CONSTRAINT "reversal_authorization_id_fkey" FOREIGN KEY ("authorization_id") REFERENCES "authorization_record"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "outcome" ADD CONSTRAINT "outcome_authorization_id_fkey" FOREIGN KEY ("authorization_id") REFERENCES "authorization_record"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "reference" ADD CONSTRAINT "reference_authorization_id_fkey" FOREIGN KEY ("authorization_id") REFERENCES "authorization_record"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;
