import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../screen.js';

export interface Migration {
  /** Name of its folder: `20250131120000_add_labels`. */
  name: string;
  sql: string;
  /** SHA-256 of the file in hex, as Prisma records it. */
  checksum: string;
}

/** How a database comes from migrations that were replaced by fewer ones to those. */
export interface Adoption {
  /** The last of the replaced migrations. */
  from: string;
  /** The last of the present ones that `sql` makes superfluous; later ones are applied after it. */
  to: string;
  sql: string;
}

export interface MigrationFolder {
  path: string;
  /** Content of migration_lock.toml; null if there is none yet. */
  lock: string | null;
  /** In the order of application. */
  migrations: Migration[];
  /** Content of adopt.sql; null if no migrations were replaced. */
  adoption: Adoption | null;
}

/** Reads `prisma/migrations` of a service; a service without that folder has no migrations. */
export function readMigrationFolder(path: string): MigrationFolder {
  if (!existsSync(path)) return { path, lock: null, migrations: [], adoption: null };
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
    adoption: readAdoption(join(path, 'adopt.sql')),
  };
}

function readAdoption(file: string): Adoption | null {
  if (!existsSync(file)) return null;
  const sql = readFileSync(file, 'utf8');
  const [, from, to] = /^-- from (\d+_\w+) to (\d+_\w+)\n/.exec(sql) ?? [];
  if (from === undefined || to === undefined) {
    throw new Failure(`${file} does not begin with "-- from <migration> to <migration>".`, '');
  }
  return { from, to, sql };
}
