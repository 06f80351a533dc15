-- AlterTable
ALTER TABLE "authorization_record" ADD COLUMN     "txid" xid8 NOT NULL DEFAULT pg_current_xact_id();

-- AlterTable
ALTER TABLE "first_answer" ADD COLUMN     "txid" xid8 NOT NULL DEFAULT pg_current_xact_id();

-- AlterTable
ALTER TABLE "outcome" ADD COLUMN     "txid" xid8 NOT NULL DEFAULT pg_current_xact_id();

-- AlterTable
ALTER TABLE "reference" ADD COLUMN     "txid" xid8 NOT NULL DEFAULT pg_current_xact_id();

-- AlterTable
ALTER TABLE "reversal" ADD COLUMN     "txid" xid8 NOT NULL DEFAULT pg_current_xact_id();

-- AlterTable
ALTER TABLE "step_up_answer" ADD COLUMN     "txid" xid8 NOT NULL DEFAULT pg_current_xact_id();

-- AlterTable
ALTER TABLE "system_void" ADD COLUMN     "txid" xid8 NOT NULL DEFAULT pg_current_xact_id();

-- CreateTable
CREATE TABLE "chain_entry" (
    "seq" BIGINT NOT NULL,
    "kind" TEXT NOT NULL,
    "ref" TEXT NOT NULL,
    "txid" xid8 NOT NULL,
    "record_hash" TEXT NOT NULL,
    "previous_hash" TEXT NOT NULL,
    "entry_hash" TEXT NOT NULL,

    CONSTRAINT "chain_entry_pkey" PRIMARY KEY ("seq")
);

-- CreateTable
CREATE TABLE "chain_head" (
    "seq" BIGINT NOT NULL,
    "entry_hash" TEXT NOT NULL,
    "signed_at" TIMESTAMPTZ(3) NOT NULL,
    "kid" TEXT NOT NULL,
    "signature" TEXT NOT NULL,

    CONSTRAINT "chain_head_pkey" PRIMARY KEY ("seq")
);

-- CreateTable
CREATE TABLE "chain_key" (
    "kid" TEXT NOT NULL,
    "algorithm" TEXT NOT NULL,
    "public_jwk" TEXT NOT NULL,
    "sealed_private" BYTEA NOT NULL,
    "sealed_by" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "chain_key_pkey" PRIMARY KEY ("kid")
);

-- CreateIndex
CREATE INDEX "chain_entry_kind_idx" ON "chain_entry"("kind", "seq");

-- CreateIndex
CREATE UNIQUE INDEX "chain_entry_once" ON "chain_entry"("kind", "ref");

-- CreateIndex
CREATE INDEX "authorization_record_chain" ON "authorization_record"("txid", "id");

-- CreateIndex
CREATE INDEX "first_answer_chain" ON "first_answer"("txid", "authorization_id");

-- CreateIndex
CREATE INDEX "reversal_chain" ON "reversal"("txid", "id");

-- CreateIndex
CREATE INDEX "step_up_answer_chain" ON "step_up_answer"("txid", "authorization_id");

-- CreateIndex
CREATE INDEX "system_void_chain" ON "system_void"("txid", "authorization_id");
