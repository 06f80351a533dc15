-- CreateTable
CREATE TABLE "agent_profile" (
    "agent_id" TEXT NOT NULL,
    "version" INTEGER NOT NULL,
    "state" JSONB NOT NULL,
    "kya_score" DOUBLE PRECISION NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "agent_profile_pkey" PRIMARY KEY ("agent_id")
);

-- CreateTable
CREATE TABLE "profile_entry" (
    "authorization_id" TEXT NOT NULL,
    "agent_id" TEXT NOT NULL,
    "entry" JSONB NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "profile_entry_pkey" PRIMARY KEY ("authorization_id")
);
