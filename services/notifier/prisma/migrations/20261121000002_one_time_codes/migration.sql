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

-- CreateIndex
CREATE INDEX "one_time_code_expires_at_idx" ON "one_time_code"("expires_at");
