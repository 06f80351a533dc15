import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Migration {
  /** Name of its folder: `20250131120000_add_labels`. */
  name: string;
  sql: string;
  /** SHA-256 of the file in hex, as Prisma records it. */
  checksum: string;
}

export interface MigrationFolder {
  path: string;
  /** Content of migration_lock.toml; null if there is none yet. */
  lock: string | null;
  /** In the order of application. */
  migrations: Migration[];
}

/** Reads `prisma/migrations` of a service; a service without that folder has no migrations. */
export function readMigrationFolder(path: string): MigrationFolder {
  if (!existsSync(path)) return { path, lock: null, migrations: [] };
  const lockFile = join(path, 'migration_lock.toml');
  const entries = readdirSync(path, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  return {
    path,
    lock: existsSync(lockFile) ? readFileSync(lockFile, 'utf8') : null,
    migrations: names.sort().map((name) => {
      const sql = readFileSync(join(path, name, 'migration.sql'), 'utf8');
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
    }),
  };
}
