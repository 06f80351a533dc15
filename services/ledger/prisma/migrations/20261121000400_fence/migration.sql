-- Raises the lowest version of each entity that a proposal may have been judged by; see
-- docs/decisions/0002-fences-instead-of-fresh-caches.md. Batches that hold the lock commit first,
-- later ones see the rows.
CREATE FUNCTION raise_fences(ids text[], versions int[]) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(1001);
  INSERT INTO fence AS f (entity_id, version)
  SELECT e.id, max(e.version) FROM unnest(ids, versions) e (id, version) GROUP BY e.id ORDER BY e.id
  ON CONFLICT (entity_id) DO UPDATE SET version = EXCLUDED.version
    WHERE EXCLUDED.version > f.version;
END $$;
