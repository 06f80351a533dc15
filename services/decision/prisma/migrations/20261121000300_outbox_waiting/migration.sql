-- What the relay asks for again and again: the rows that wait, however many were published.
CREATE INDEX "outbox_waiting" ON "outbox"("seq") WHERE "published_at" IS NULL;
