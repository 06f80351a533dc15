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

-- CreateIndex
CREATE INDEX "intent_recount_mandate_key_due_at_idx" ON "intent_recount"("mandate_key", "due_at");
