-- What waits for the bus is a row of its own, of a few bytes, made with the event and deleted when
-- the bus has it. An event is written once: to mark it would copy it, and all its index entries.
CREATE FUNCTION await_publishing() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO unpublished SELECT seq FROM added WHERE published_at IS NULL;
  RETURN NULL;
END $$;

-- For a statement, not for its rows.
CREATE TRIGGER await_publishing AFTER INSERT ON outbox REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION await_publishing();
