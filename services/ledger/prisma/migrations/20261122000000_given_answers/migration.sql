-- CreateTable
CREATE TABLE "system_void" (
    "authorization_id" TEXT NOT NULL,
    "answer" TEXT NOT NULL,
    "facts" TEXT NOT NULL,
    "answered_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "system_void_pkey" PRIMARY KEY ("authorization_id")
);

-- CreateTable
CREATE TABLE "first_answer" (
    "authorization_id" TEXT NOT NULL,
    "principal_id" TEXT NOT NULL,
    "idempotency_key" TEXT NOT NULL,
    "answered_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "first_answer_pkey" PRIMARY KEY ("authorization_id")
);

-- CreateIndex
CREATE INDEX "first_answer_key_idx" ON "first_answer"("principal_id", "idempotency_key", "answered_at");

-- AddForeignKey
ALTER TABLE "system_void" ADD CONSTRAINT "system_void_authorization_id_fkey" FOREIGN KEY ("authorization_id") REFERENCES "authorization_record"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "first_answer" ADD CONSTRAINT "first_answer_authorization_id_fkey" FOREIGN KEY ("authorization_id") REFERENCES "authorization_record"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;
