-- Ids, keys and hashes are compared byte by byte. By the locale of the server, an update of its library
-- could change the order of an index, and a unique one would then miss what it has.
DO $$
DECLARE
  c record;
BEGIN
  FOR c IN
    SELECT table_name AS name, string_agg(
      format('ALTER COLUMN %I TYPE text COLLATE "C"', column_name), ', '
    ) AS changes
    FROM information_schema.columns
    WHERE table_schema = current_schema() AND data_type = 'text'
      AND table_name <> '_prisma_migrations'
    GROUP BY table_name
  LOOP
    EXECUTE format('ALTER TABLE %I %s', c.name, c.changes);
  END LOOP;
  -- The change discards the statistics of these columns, and nothing else would renew them soon.
  FOR c IN
    SELECT relname AS name FROM pg_class
    WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' AND reltuples > 0
  LOOP
    EXECUTE format('ANALYZE %I', c.name);
  END LOOP;
END $$;
