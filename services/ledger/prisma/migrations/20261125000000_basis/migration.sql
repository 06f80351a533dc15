-- AlterTable
ALTER TABLE "authorization_record" ADD COLUMN     "basis_hash" TEXT;

-- AlterTable
ALTER TABLE "chain_entry" ADD COLUMN     "format" SMALLINT NOT NULL DEFAULT 1;

-- CreateTable
CREATE TABLE "decision_basis" (
    "hash" TEXT NOT NULL,
    "body" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "txid" xid8 NOT NULL DEFAULT pg_current_xact_id(),

    CONSTRAINT "decision_basis_pkey" PRIMARY KEY ("hash")
);

-- CreateIndex
CREATE INDEX "decision_basis_chain" ON "decision_basis"("txid", "hash");
