-- CreateTable
CREATE TABLE "threshold_override" (
    "principal_id" TEXT NOT NULL,
    "overrides" JSONB NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "threshold_override_pkey" PRIMARY KEY ("principal_id")
);
