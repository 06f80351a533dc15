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

-- A case that is resolved says how, by whom and when; one that is open says none of it.
ALTER TABLE "fraud_case" ADD CONSTRAINT "fraud_case_resolution_check" CHECK (
  ("status" = 'OPEN' AND num_nonnulls("resolution", "resolved_by", "resolved_at") = 0) OR
  ("status" = 'RESOLVED' AND num_nulls("resolution", "resolved_by", "resolved_at") = 0)
);
