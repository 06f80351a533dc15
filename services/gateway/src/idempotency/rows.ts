import type { Environment } from '@countersign/kernel/environment';
import type { Pool } from '@countersign/runtime/database';
import type { Sweep } from '@countersign/runtime/retention';

/** One use of a key; a key belongs to a Client in one environment. */
export interface KeyUse {
  clientId: string;
  environment: Environment;
  key: string;
  bodyHash: string;
}

interface Claimed {
  minted: Record<string, string>;
  /** Identifies this claim: later updates of the row apply only while it still holds. */
  lease: string;
}

export interface StoredUse {
  bodyHash: string;
  state: 'pending' | 'done';
  status: number | null;
  body: string | null;
}

const retention = `interval '24 hours'`;

/**
 * One statement on the primary key decides which call carries a request out. An existing row is
 * taken over where its 24 hours are over (with new ids), or where it is of the same request, still
 * pending, and its lease has expired (with the ids minted then). Times are those of the database,
 * so that the clocks of replicas do not matter.
 */
const claimSql = `
  INSERT INTO onboarding_idempotency AS kept
    (client_id, environment, key, body_hash, minted, state, lease_until, created_at)
  VALUES ($1, $2, $3, $4, $5::jsonb, 'pending', clock_timestamp() + $6 * interval '1 ms', now())
  ON CONFLICT (client_id, environment, key) DO UPDATE SET
    body_hash = EXCLUDED.body_hash, state = 'pending', status = NULL, body = NULL,
    lease_until = EXCLUDED.lease_until,
    minted = CASE WHEN kept.created_at <= now() - ${retention}
      THEN EXCLUDED.minted ELSE kept.minted END,
    created_at = CASE WHEN kept.created_at <= now() - ${retention}
      THEN EXCLUDED.created_at ELSE kept.created_at END
  WHERE kept.created_at <= now() - ${retention}
    OR (kept.state = 'pending' AND kept.body_hash = EXCLUDED.body_hash
        AND kept.lease_until <= clock_timestamp())
  RETURNING minted, lease_until::text AS lease`;

/** Null where another call holds the row, or has finished it. */
export async function claim(
  pool: Pool,
  use: KeyUse,
  { minted, leaseMs }: { minted: Record<string, string>; leaseMs: number },
): Promise<Claimed | null> {
  const { rows } = await pool.query<Claimed>(claimSql, [
    ...identity(use),
    use.bodyHash,
    JSON.stringify(minted),
    leaseMs,
  ]);
  return rows[0] ?? null;
}

export async function read(pool: Pool, use: KeyUse): Promise<StoredUse | null> {
  const { rows } = await pool.query<StoredUse>(
    `SELECT body_hash AS "bodyHash", state, status, body FROM onboarding_idempotency
     WHERE client_id = $1 AND environment = $2 AND key = $3`,
    identity(use),
  );
  return rows[0] ?? null;
}

/** Stores the answer. A call that took the row over meanwhile stores its own, of equal objects. */
export async function finish(
  pool: Pool,
  use: KeyUse,
  { lease, status, body }: { lease: string; status: number; body: string },
): Promise<void> {
  await pool.query(
    `UPDATE onboarding_idempotency SET state = 'done', status = $5, body = $6
     WHERE client_id = $1 AND environment = $2 AND key = $3
       AND state = 'pending' AND lease_until = $4::timestamptz`,
    [...identity(use), lease, status, body],
  );
}

/** Removes our claim: nothing was created. */
export async function forget(pool: Pool, use: KeyUse, lease: string): Promise<void> {
  await pool.query(
    `DELETE FROM onboarding_idempotency
     WHERE client_id = $1 AND environment = $2 AND key = $3
       AND state = 'pending' AND lease_until = $4::timestamptz`,
    [...identity(use), lease],
  );
}

/** Ends our lease where it is unknown whether something was created; the next retry finds out. */
export async function release(pool: Pool, use: KeyUse, lease: string): Promise<void> {
  await pool.query(
    `UPDATE onboarding_idempotency SET lease_until = clock_timestamp() - interval '1 ms'
     WHERE client_id = $1 AND environment = $2 AND key = $3
       AND state = 'pending' AND lease_until = $4::timestamptz`,
    [...identity(use), lease],
  );
}

/** So few that a statement ends in time, however many answers a Client has. */
const readAtOnce = 500;

const forgetAnswersSql = `
  WITH batch AS (
    SELECT key FROM onboarding_idempotency
    WHERE client_id = $1 AND environment = $2 AND key > $4 ORDER BY key LIMIT ${readAtOnce}
  ), forgotten AS (
    UPDATE onboarding_idempotency
    SET state = 'pending', status = NULL, body = NULL,
      lease_until = clock_timestamp() - interval '1 ms'
    WHERE client_id = $1 AND environment = $2 AND key = ANY (ARRAY(SELECT key FROM batch))
      AND (state = 'pending' OR strpos(body, $3) > 0)
  )
  SELECT max(key) AS last FROM batch`;

/**
 * Forgets a Client's answers that name an object, and keeps the ids that were minted: a retry is
 * answered with the objects as they are by then. Calls under way may be about to store such an
 * answer, so they lose their leases, and with them the right to.
 */
export async function forgetAnswersWith(
  pool: Pool,
  { clientId, environment, id }: { clientId: string; environment: Environment; id: string },
): Promise<void> {
  let after: string | null = '';
  while (after !== null) {
    const values: string[] = [clientId, environment, `"${id}"`, after];
    const { rows } = await pool.query<{ last: string | null }>(forgetAnswersSql, values);
    after = rows[0]?.last ?? null;
  }
}

const sweepSql = `
  DELETE FROM onboarding_idempotency WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM onboarding_idempotency
    WHERE created_at <= now() - ${retention} ORDER BY created_at LIMIT $1
    FOR UPDATE SKIP LOCKED))`;

/** Keys after their 24 hours. */
export const oldKeySweeps: readonly Sweep[] = [{ sql: sweepSql }];

function identity({ clientId, environment, key }: KeyUse): string[] {
  return [clientId, environment, key];
}
