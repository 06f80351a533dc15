-- CreateTable
CREATE TABLE "intent_use" (
    "authorization_id" TEXT NOT NULL,
    "mandate_key" TEXT NOT NULL,
    "principal_id" TEXT NOT NULL,
    "issuer" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "user_key_thumbprint" TEXT NOT NULL,
    "subject_binding" TEXT NOT NULL,
    "amount_minor" DECIMAL(38,0) NOT NULL,
    "currency" TEXT NOT NULL,
    "max_occurrences" DECIMAL(38,0),
    "budget_minor" DECIMAL(38,0),
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "intent_use_pkey" PRIMARY KEY ("authorization_id")
);

-- CreateTable
CREATE TABLE "intent_nonce" (
    "signer_thumbprint" TEXT NOT NULL,
    "nonce" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "authorization_id" TEXT NOT NULL,

    CONSTRAINT "intent_nonce_pkey" PRIMARY KEY ("signer_thumbprint","nonce")
);

-- CreateTable
CREATE TABLE "intent_subject" (
    "principal_id" TEXT NOT NULL,
    "issuer" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "how" TEXT NOT NULL,
    "bound_at" TIMESTAMPTZ(3) NOT NULL,
    "user_key_thumbprint" TEXT,
    "authorization_id" TEXT,

    CONSTRAINT "intent_subject_pkey" PRIMARY KEY ("principal_id","issuer","subject")
);

-- CreateTable
CREATE TABLE "intent_evidence" (
    "authorization_id" TEXT NOT NULL,
    "sealed_chain" BYTEA NOT NULL,
    "sealed_by" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "intent_evidence_pkey" PRIMARY KEY ("authorization_id")
);

-- CreateIndex
CREATE INDEX "intent_use_mandate_key_idx" ON "intent_use"("mandate_key");

-- CreateIndex
CREATE INDEX "intent_nonce_expires_at_idx" ON "intent_nonce"("expires_at");
