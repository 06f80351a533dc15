-- CreateTable
CREATE TABLE "signing_key" (
    "kid" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "public_jwk" JSONB NOT NULL,
    "sealed_private" BYTEA,
    "sealed_by" TEXT,
    "not_before" TIMESTAMPTZ(3) NOT NULL,
    "activated_at" TIMESTAMPTZ(3),
    "retired_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "signing_key_pkey" PRIMARY KEY ("kid")
);
