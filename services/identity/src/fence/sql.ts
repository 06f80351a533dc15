/**
 * $1 ids, $2 versions, $3 whether each is a revoked agent. created_at is kept, so that repeated
 * changes of one entity cannot postpone the delivery of its fence.
 */
export const putPendingFences = `
  INSERT INTO pending_fences (entity_id, version, revoked)
  SELECT * FROM unnest($1::text[], $2::int[], $3::boolean[])
  ON CONFLICT (entity_id) DO UPDATE SET
    version = greatest(pending_fences.version, excluded.version),
    revoked = pending_fences.revoked OR excluded.revoked`;

/** $1 ids, $2 limit. */
export const pendingFencesOf = `
  SELECT entity_id AS "entityId", version, revoked FROM pending_fences
  WHERE entity_id = ANY($1::text[]) LIMIT $2`;

/**
 * $1 minimum age in milliseconds, which leaves the call that wrote a fence time to deliver it;
 * $2 limit. A fence from the future was written before the clock was set back: it must not wait for
 * as long, since payments are approved without it.
 */
export const overdueFences = `
  SELECT entity_id AS "entityId", version, revoked FROM pending_fences
  WHERE created_at <= now() - $1::int * interval '1 millisecond' OR created_at > now()
  ORDER BY created_at LIMIT $2`;

/**
 * $1 ids, $2 versions that the ledger has acknowledged. A newer version that was written meanwhile
 * is kept. Rows locked by another call are skipped and left to it, which rules out deadlocks.
 */
export const deleteFences = `
  DELETE FROM pending_fences WHERE entity_id IN (
    SELECT p.entity_id FROM pending_fences p
    JOIN unnest($1::text[], $2::int[]) AS acknowledged (entity_id, version)
      ON p.entity_id = acknowledged.entity_id AND p.version <= acknowledged.version
    FOR UPDATE OF p SKIP LOCKED)`;
