import { readdir } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { DatabaseError } from 'pg';
import type { Pool } from './database.js';

/** Thrown at start-up if the database lacks a migration that this build requires. */
export class BehindError extends Error {
  constructor(readonly missing: string[]) {
    super(`the database is behind: ${missing.join(', ')} not applied; run the migrations first`);
    this.name = 'BehindError';
  }
}

/**
 * Compares the folders under `prisma/migrations` with Prisma's own table. A newer database is
 * accepted: during a rollout the old release runs on the new schema.
 */
export async function assertMigrated(pool: Pool, migrationsFolder: URL): Promise<void> {
  const entries = await readdir(migrationsFolder, { withFileTypes: true });
  const wanted = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  const applied = await onceReached(() => appliedMigrations(pool));
  const missing = wanted.filter((name) => !applied.has(name)).sort();
  if (missing.length > 0) throw new BehindError(missing);
}

const attempts = 20;
const pauseMs = 500;
const stillStarting = '57P03';

/**
 * Retries while the database is still starting, as when both start together, and while connecting
 * times out, as on a busy machine. Other errors of the database itself are not retried.
 */
async function onceReached<T>(ask: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await ask();
    } catch (error) {
      const refused = error instanceof DatabaseError && error.code !== stillStarting;
      if (refused || attempt === attempts) throw error;
      await pause(pauseMs);
    }
  }
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
