-- CreateTable
CREATE TABLE "agent_merchant" (
    "agent_id" TEXT NOT NULL,
    "merchant" TEXT NOT NULL,
    "authorization_id" TEXT NOT NULL,

    CONSTRAINT "agent_merchant_pkey" PRIMARY KEY ("agent_id","merchant")
);
