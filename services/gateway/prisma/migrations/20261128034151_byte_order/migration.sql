-- Ids, keys and hashes are compared byte by byte. By the locale of the server, an update of its library
-- could change the order of an index, and a unique one would then miss what it has.
DO $$
DECLARE
  c record;
BEGIN
  FOR c IN
    -- Of this service's own tables: an extension may have views and tables here as well.
    SELECT relname AS name, string_agg(
      format('ALTER COLUMN %I TYPE text COLLATE "C"', attname), ', '
    ) AS changes
    FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
    WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'
      AND pg_has_role(relowner, 'USAGE') AND relname <> '_prisma_migrations'
      AND attnum > 0 AND NOT attisdropped AND atttypid = 'text'::regtype
    GROUP BY relname
  LOOP
    EXECUTE format('ALTER TABLE %I %s', c.name, c.changes);
  END LOOP;
  -- The change discards the statistics of these columns, and nothing else would renew them soon.
  FOR c IN
    SELECT relname AS name FROM pg_class
    WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' AND reltuples > 0
      AND pg_has_role(relowner, 'USAGE')
  LOOP
    EXECUTE format('ANALYZE %I', c.name);
  END LOOP;
END $$;
