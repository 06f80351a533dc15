-- CreateTable
CREATE TABLE "code_address" (
    "address" BYTEA NOT NULL,
    "sent_at" TIMESTAMPTZ(3)[],
    "last_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "code_address_pkey" PRIMARY KEY ("address")
);

-- CreateTable
CREATE TABLE "code_client" (
    "client_id" TEXT NOT NULL,
    "since" TIMESTAMPTZ(3) NOT NULL,
    "sent" INTEGER NOT NULL,

    CONSTRAINT "code_client_pkey" PRIMARY KEY ("client_id")
);

-- CreateIndex
CREATE INDEX "code_address_last_at_idx" ON "code_address"("last_at");

-- CreateIndex
CREATE INDEX "code_client_since_idx" ON "code_client"("since");
