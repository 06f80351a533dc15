-- CreateTable
CREATE TABLE "pending_revocations" (
    "agent_id" TEXT NOT NULL,
    "below" INTEGER NOT NULL,
    "request_id" TEXT NOT NULL,
    "revoked_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "pending_revocations_pkey" PRIMARY KEY ("agent_id")
);
