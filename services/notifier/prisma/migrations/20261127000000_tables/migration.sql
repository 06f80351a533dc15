-- CreateTable
CREATE TABLE "webhook" (
    "id" TEXT NOT NULL,
    "client_id" TEXT NOT NULL,
    "principal_id" TEXT NOT NULL,
    "url" TEXT NOT NULL,
    "event_types" TEXT[],
    "description" TEXT,
    "active" BOOLEAN NOT NULL DEFAULT true,
    "consecutive_failures" INTEGER NOT NULL DEFAULT 0,
    "last_delivery_at" TIMESTAMPTZ(3),
    "last_status_code" INTEGER,
    "secret" BYTEA NOT NULL,
    "secret_key_id" TEXT NOT NULL,
    "previous_secret" BYTEA,
    "previous_secret_key_id" TEXT,
    "previous_secret_until" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "deleted_at" TIMESTAMPTZ(3),

    CONSTRAINT "webhook_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "delivery" (
    "id" TEXT NOT NULL,
    "webhook_id" TEXT NOT NULL,
    "event_id" TEXT NOT NULL,
    "event" TEXT NOT NULL,
    "data" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'PENDING',
    "attempts" JSONB NOT NULL DEFAULT '[]',
    "attempt_count" INTEGER NOT NULL DEFAULT 0,
    "attempts_left" INTEGER NOT NULL,
    "failure_counted" BOOLEAN NOT NULL DEFAULT false,
    "next_attempt_at" TIMESTAMPTZ(3),
    "lease" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "finished_at" TIMESTAMPTZ(3),
    "trace" JSONB,

    CONSTRAINT "delivery_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "one_time_code" (
    "authorization_id" TEXT NOT NULL,
    "client_id" TEXT NOT NULL,
    "principal_id" TEXT NOT NULL,
    "amount" TEXT NOT NULL,
    "currency" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'PENDING',
    "channel" TEXT,
    "code_hash" BYTEA,
    "tries" INTEGER NOT NULL DEFAULT 0,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "next_attempt_at" TIMESTAMPTZ(3),
    "lease" TEXT,

    CONSTRAINT "one_time_code_pkey" PRIMARY KEY ("authorization_id")
);

-- CreateTable
CREATE TABLE "code_address" (
    "address" BYTEA NOT NULL,
    "sent_at" TIMESTAMPTZ(3)[],
    "last_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "code_address_pkey" PRIMARY KEY ("address")
);

-- CreateTable
CREATE TABLE "code_client" (
    "client_id" TEXT NOT NULL,
    "since" TIMESTAMPTZ(3) NOT NULL,
    "sent" INTEGER NOT NULL,

    CONSTRAINT "code_client_pkey" PRIMARY KEY ("client_id")
);

-- CreateTable
CREATE TABLE "inbox" (
    "event_id" TEXT NOT NULL,
    "received_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "inbox_pkey" PRIMARY KEY ("event_id")
);

-- CreateIndex
CREATE INDEX "webhook_principal_id_created_at_id_idx" ON "webhook"("principal_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "delivery_webhook_id_created_at_id_idx" ON "delivery"("webhook_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "delivery_event_id_webhook_id_key" ON "delivery"("event_id", "webhook_id");

-- CreateIndex
CREATE INDEX "one_time_code_expires_at_idx" ON "one_time_code"("expires_at");

-- CreateIndex
CREATE INDEX "code_address_last_at_idx" ON "code_address"("last_at");

-- CreateIndex
CREATE INDEX "code_client_since_idx" ON "code_client"("since");

-- CreateIndex
CREATE INDEX "inbox_received_at_idx" ON "inbox"("received_at");

-- AddForeignKey
ALTER TABLE "delivery" ADD CONSTRAINT "delivery_webhook_id_fkey" FOREIGN KEY ("webhook_id") REFERENCES "webhook"("id") ON DELETE CASCADE ON UPDATE CASCADE;
