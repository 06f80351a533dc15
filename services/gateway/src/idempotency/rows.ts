import type { Environment } from '@countersign/kernel/environment';
import { inBatches } from '@countersign/runtime/batches';
import type { Pool } from '@countersign/runtime/database';

/** One use of a key; a key belongs to a Client in one environment. */
export interface KeyUse {
  clientId: string;
  environment: Environment;
  key: string;
  bodyHash: string;
}

interface Claimed {
  minted: Record<string, string>;
  /** Names this claim: what is done about the row later is done only while it is still ours. */
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
 * One statement on the primary key decides who carries a request out. A conflicting row is taken
 * over where its 24 hours are over (with new ids), or where it is the same request, still pending,
 * and its lease has ended (with the ids that were minted then). Times are the database's, so
 * replicas need not agree on the time.
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

/** Null where the row belongs to somebody else or is done. */
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

/** Keeps the answer. Whoever took the row over meanwhile made the same objects. */
export async function finish(
  pool: Pool,
  use: KeyUse,
  { status, body }: { status: number; body: string },
): Promise<void> {
  await pool.query(
    `UPDATE onboarding_idempotency SET state = 'done', status = $5, body = $6
     WHERE client_id = $1 AND environment = $2 AND key = $3 AND body_hash = $4
       AND state = 'pending'`,
    [...identity(use), use.bodyHash, status, body],
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

/** Ends our lease: nobody knows whether something was created, the next retry finds out. */
export async function release(pool: Pool, use: KeyUse, lease: string): Promise<void> {
  await pool.query(
    `UPDATE onboarding_idempotency SET lease_until = clock_timestamp() - interval '1 ms'
     WHERE client_id = $1 AND environment = $2 AND key = $3
       AND state = 'pending' AND lease_until = $4::timestamptz`,
    [...identity(use), lease],
  );
}

const sweepSql = `
  DELETE FROM onboarding_idempotency WHERE (client_id, environment, key) IN (
    SELECT client_id, environment, key FROM onboarding_idempotency
    WHERE created_at <= now() - ${retention} ORDER BY created_at LIMIT $1
    FOR UPDATE SKIP LOCKED)`;

/** Forgets keys after their 24 hours. Returns how many. */
export function forgetOldKeys(pool: Pool): Promise<number> {
  return inBatches(pool, sweepSql);
}

function identity({ clientId, environment, key }: KeyUse): string[] {
  return [clientId, environment, key];
}
