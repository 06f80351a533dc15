-- CreateTable
CREATE TABLE "settlement" (
    "id" TEXT NOT NULL,
    "authorization_id" TEXT NOT NULL,
    "client_id" TEXT NOT NULL,
    "principal_id" TEXT NOT NULL,
    "chain" TEXT NOT NULL,
    "tx_hash" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'SUBMITTED',
    "failure_reason" TEXT,
    "failure_provisional" BOOLEAN NOT NULL DEFAULT false,
    "asset" TEXT NOT NULL,
    "counterparty" TEXT NOT NULL,
    "authorized_value" DECIMAL(38,18) NOT NULL,
    "authorized_from" TEXT,
    "currency" TEXT NOT NULL,
    "from_address" TEXT,
    "to_address" TEXT,
    "value_raw" DECIMAL(78,0),
    "confirmations" INTEGER NOT NULL DEFAULT 0,
    "required_confirmations" INTEGER NOT NULL,
    "block_number" BIGINT,
    "block_hash" TEXT,
    "transferred_raw" DECIMAL(78,0),
    "last_seen_at" TIMESTAMPTZ(3),
    "next_check_at" TIMESTAMPTZ(3) NOT NULL,
    "outcome_id" TEXT NOT NULL,
    "outcome_due" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "settled_at" TIMESTAMPTZ(3),
    "trace" JSONB,

    CONSTRAINT "settlement_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "chain_cursor" (
    "chain" TEXT NOT NULL,
    "head_number" BIGINT NOT NULL,
    "advanced_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "chain_cursor_pkey" PRIMARY KEY ("chain")
);

-- CreateIndex
CREATE INDEX "settlement_authorization_id_created_at_id_idx" ON "settlement"("authorization_id", "created_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "settlement_authorization_id_tx_hash_key" ON "settlement"("authorization_id", "tx_hash");
