-- CreateTable
CREATE TABLE "credential_announcement" (
    "credential_id" TEXT NOT NULL,
    "version" INTEGER NOT NULL,

    CONSTRAINT "credential_announcement_pkey" PRIMARY KEY ("credential_id")
);

-- CreateTable
CREATE TABLE "gateway_replica" (
    "instance" TEXT NOT NULL,
    "turn" BIGSERIAL NOT NULL,
    "seen_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "gateway_replica_pkey" PRIMARY KEY ("instance")
);

-- AddForeignKey
ALTER TABLE "credential_announcement" ADD CONSTRAINT "credential_announcement_credential_id_fkey" FOREIGN KEY ("credential_id") REFERENCES "credential"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
