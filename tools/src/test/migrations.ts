import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import type { Test } from 'tap';
import { execute } from '../migrations/connection.js';
import { type MigrationFolder, readMigrationFolder } from '../migrations/migration-folder.js';
import { onServer } from '../services.js';
import { newTestFolder } from './folder.js';

export const serverUrl = process.env.TEST_POSTGRES_URL ?? '';

/** Migrations by name. */
export function folderOf(migrations: Record<string, string>): MigrationFolder {
  const path = newTestFolder('migrations');
  writeFileSync(join(path, 'migration_lock.toml'), 'provider = "postgresql"\n');
  for (const [name, sql] of Object.entries(migrations)) {
    mkdirSync(join(path, name));
    writeFileSync(join(path, name, 'migration.sql'), sql);
  }
  return readMigrationFolder(path);
}

/** The URL of a database that does not exist yet and is dropped at the end of the test. */
export function newDatabase(t: Test): { url: string; query: (sql: string) => Promise<unknown[]> } {
  const name = `tools_${randomBytes(6).toString('hex')}`;
  const url = onServer(serverUrl, name);
  t.teardown(() => execute(serverUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`));
  const query = async (sql: string): Promise<unknown[]> => {
    const client = new Client({ connectionString: url });
    await client.connect();
    try {
      return (await client.query(sql)).rows;
    } finally {
      await client.end();
    }
  };
  return { url, query };
}
