import { shareSession } from '@countersign/kernel/database-session';
import { Failure, messageOf } from '../screen.js';
import { type Database, onServer } from '../services.js';
import { connectDeadlineMs, connected, execute } from './connection.js';
import type { MigrationFolder } from './migration-folder.js';

/** PostgreSQL's error codes for a missing database or table. */
const noSuchDatabase = '3D000';
const noSuchTable = '42P01';
const databaseExists = '42P04';
const alreadyThere = '23505';
/** The engine passes on the message alone. */
const lacksPrivilege = /permission denied|must be owner/;

/** A row of Prisma's table. */
interface Applied {
  migration_name: string;
  checksum: string;
  finished_at: Date | null;
  rolled_back_at: Date | null;
}

export interface MigrateOptions {
  /** How to handle a migration that was edited after it had been applied. */
  edited: 'refuse' | 'ignore';
}

/** The engine's own lock, which it does not wait for longer than ten seconds. */
const engineLock = 72_707_369;
/** Held for a whole run, so that no other one waits for the engine's lock in the engine. */
const runLock = 72_707_370;

/**
 * Waits for other runs, and for PostgreSQL to be done with the script of one that has died. What is
 * unfinished then, without an error on record, was interrupted, and nothing of it was kept, since a
 * script commits that it is finished. If the machine of a run is lost, its lock is free within two
 * minutes.
 */
const beginRun = `SET tcp_keepalives_idle = 60; SET tcp_keepalives_interval = 10;
SET tcp_keepalives_count = 6;
SELECT pg_advisory_lock(${runLock});
SELECT pg_advisory_xact_lock(${engineLock});
DO $$ BEGIN
  IF to_regclass('_prisma_migrations') IS NOT NULL THEN
    UPDATE _prisma_migrations SET rolled_back_at = now()
    WHERE finished_at IS NULL AND rolled_back_at IS NULL AND logs IS NULL;
  END IF;
END $$`;

/**
 * Applies the migrations of a service to a database, and creates it if missing. Returns the names
 * applied. If there is nothing to do, this costs one cheap query, without the engine. It
 * may be killed at any time, and several may run at once.
 */
export async function migrate(
  database: Pick<Database, 'url'>,
  folder: MigrationFolder,
  { edited }: MigrateOptions = { edited: 'ignore' },
): Promise<string[]> {
  const { url } = database;
  const applied = await readApplied(url);
  if (!applied) await createDatabase(url);
  const rows = applied ?? [];
  if (edited === 'refuse') refuseEdited(url, folder, rows);
  const done = new Set(rows.filter(isDone).map((row) => row.migration_name));
  if (hasOthers(done, folder)) throw foreign(url);
  if (folder.migrations.every(({ name }) => done.has(name))) return [];
  const { applyMigrations } = await import('./engine.js');
  try {
    return await alone(url, () => applyMigrations(url, folder));
  } catch (error) {
    throw error instanceof Failure ? error : failedMigration(url, error);
  }
}

/** Without a statement timeout, since nobody knows how long another run takes. */
function alone<T>(url: string, run: () => Promise<T>): Promise<T> {
  return connected({ connectionString: url }, async (client) => {
    const isShared = await connected({ connectionString: url }, (other) =>
      shareSession(client, other),
    );
    if (isShared) throw sharedSession(url);
    await client.query(beginRun);
    return run();
  });
}

/** Null if there is no such database. */
async function readApplied(url: string): Promise<Applied[] | null> {
  const config = { connectionString: url, query_timeout: connectDeadlineMs };
  const sql =
    'SELECT migration_name, checksum, finished_at, rolled_back_at FROM _prisma_migrations';
  try {
    const { rows } = await connected(config, (client) => client.query<Applied>(sql));
    return rows;
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === noSuchDatabase) return null;
    if (code === noSuchTable) return [];
    throw new Failure(
      `The database ${nameOf(url)} cannot be read: ${messageOf(error)}`,
      'Check that its server runs and that the URL is right.',
    );
  }
}

async function createDatabase(url: string): Promise<void> {
  const name = nameOf(url);
  try {
    await execute(onServer(url, 'postgres'), `CREATE DATABASE "${name.replaceAll('"', '""')}"`);
  } catch (error) {
    const { code } = error as { code?: string };
    // A concurrent process created it first.
    if (code === databaseExists || code === alreadyThere) return;
    throw new Failure(
      `The database ${name} does not exist and could not be created: ${messageOf(error)}`,
      `Create it (CREATE DATABASE ${name}), or give its user the right to create databases.`,
    );
  }
}

function refuseEdited(url: string, folder: MigrationFolder, rows: Applied[]): void {
  const checksums = new Map(folder.migrations.map(({ name, checksum }) => [name, checksum]));
  const edited = rows.filter(isDone).find((row) => {
    const checksum = checksums.get(row.migration_name);
    return checksum !== undefined && checksum !== row.checksum;
  });
  if (!edited) return;
  throw new Failure(
    `Migration ${edited.migration_name} was changed after ${nameOf(url)} had applied it.`,
    'Restore the file and write the change as a new migration (npm run migration:new), or drop ' +
      'the database; removing the folder .countersign drops all that npm start has made.',
  );
}

function isDone(row: Applied): boolean {
  return row.finished_at !== null && row.rolled_back_at === null;
}

/** Those of a later version come behind the last one of this. */
function hasOthers(done: ReadonlySet<string>, { migrations }: MigrationFolder): boolean {
  const names = migrations.map(({ name }) => name);
  return [...done].some((name) => !names.includes(name) && name < (names.at(-1) ?? ''));
}

function foreign(url: string): Failure {
  return new Failure(
    `The database ${nameOf(url)} has other migrations than those of this version.`,
    'Commits of before the first release share no data with this one: use a new database. ' +
      'Removing the folder .countersign drops all that npm start has made.',
  );
}

function sharedSession(url: string): Failure {
  return new Failure(
    `The pooler in front of ${nameOf(url)} gives each transaction another session.`,
    'Use the URL of PostgreSQL itself for migrations, or a pooler with pool_mode = session.',
  );
}

function failedMigration(url: string, error: unknown): Failure {
  const service = /^countersign_([a-z]+)/.exec(nameOf(url))?.[1] ?? '<service>';
  const message = messageOf(error);
  const repair = lacksPrivilege.test(message)
    ? 'let its user own the database (ALTER DATABASE … OWNER TO …)'
    : 'correct the migration';
  return new Failure(
    `The migrations of ${nameOf(url)} failed:\n${message}`,
    'Nothing of the failed migration was kept. If the server was away, run this again. If not, ' +
      `${repair}, let it run again with "npm run migrate -- retry ${service} ` +
      '<migration>", or restore a backup.',
  );
}

function nameOf(url: string): string {
  return decodeURIComponent(new URL(url).pathname.slice(1));
}
