-- CreateTable
CREATE TABLE "unpublished" (
    "seq" BIGINT NOT NULL,

    CONSTRAINT "unpublished_pkey" PRIMARY KEY ("seq")
);

-- What waits for the bus is a row of its own, of a few bytes, made with the event and deleted when
-- the bus has it. An event is written once: to mark it would copy it, and all its index entries.
CREATE FUNCTION await_publishing() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO unpublished SELECT seq FROM added WHERE published_at IS NULL;
  RETURN NULL;
END $$;

-- Processes of the release before still mark what they have published, and unmark what is to go out
-- again. What one of the new ones has in hand is left to it: consumers know an event they have had.
CREATE FUNCTION follow_publishing() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM unpublished WHERE seq IN (
    SELECT u.seq FROM unpublished u JOIN changed USING (seq) WHERE changed.published_at IS NOT NULL
    FOR UPDATE OF u SKIP LOCKED);
  INSERT INTO unpublished SELECT seq FROM changed WHERE published_at IS NULL ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;

-- For a statement, not for its rows. Making it waits for the transactions that are writing here:
-- what they leave unpublished is seen below, what comes later is seen by the trigger.
CREATE TRIGGER await_publishing AFTER INSERT ON outbox REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION await_publishing();
CREATE TRIGGER follow_publishing AFTER UPDATE ON outbox REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION follow_publishing();

INSERT INTO unpublished SELECT seq FROM outbox WHERE published_at IS NULL ON CONFLICT DO NOTHING;
