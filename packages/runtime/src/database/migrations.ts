import { readdir } from 'node:fs/promises';
import type { Pool } from '../database.js';
import { onceReached } from './once-reached.js';
import { SharedSessionError, sharesSessions } from './session.js';

/** Thrown at start-up if the database lacks a migration that this build requires. */
export class BehindError extends Error {
  constructor(readonly missing: string[]) {
    super(`the database is behind: ${missing.join(', ')} not applied; run the migrations first`);
    this.name = 'BehindError';
  }
}

/**
 * Compares the folders under `prisma/migrations` with Prisma's own table. A newer database is
 * accepted: during a rollout the old release runs on the new schema. Since this is the first use of
 * a database, a pooler that cannot be worked with is noticed before.
 */
export async function assertMigrated(pool: Pool, migrationsFolder: URL): Promise<void> {
  if (await onceReached(() => sharesSessions(pool))) throw new SharedSessionError();
  const entries = await readdir(migrationsFolder, { withFileTypes: true });
  const wanted = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  const applied = await onceReached(() => appliedMigrations(pool));
  const missing = wanted.filter((name) => !applied.has(name)).sort();
  if (missing.length > 0) throw new BehindError(missing);
}

async function appliedMigrations(pool: Pool): Promise<Set<string>> {
  const table = await pool.query(`SELECT to_regclass('public._prisma_migrations') AS name`);
  if (table.rows[0]?.name === null) return new Set();
  const { rows } = await pool.query<{ migration_name: string }>(
    `SELECT migration_name FROM _prisma_migrations
     WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL`,
  );
  return new Set(rows.map((row) => row.migration_name));
}
