import type { Client } from 'pg';
import { Failure, messageOf } from '../screen.js';
import type { Adoption, MigrationFolder } from './migration-folder.js';

/** A row of Prisma's table. */
export interface Applied {
  migration_name: string;
  checksum: string;
  finished_at: Date | null;
  rolled_back_at: Date | null;
}

export function isDone(row: Applied): boolean {
  return row.finished_at !== null && row.rolled_back_at === null;
}

export function namesDone(rows: readonly Applied[]): ReadonlySet<string> {
  return new Set(rows.filter(isDone).map((row) => row.migration_name));
}

const recordSql = `
  INSERT INTO _prisma_migrations
    (id, migration_name, checksum, started_at, finished_at, applied_steps_count)
  SELECT gen_random_uuid(), name, checksum, clock_timestamp(), clock_timestamp(), 1
  FROM unnest($1::text[], $2::text[]) AS adopted (name, checksum)`;

/** Prisma's own command tries to apply these, which fails; nothing would be applied after that. */
const forgetFailedSql = `
  UPDATE _prisma_migrations SET rolled_back_at = now()
  WHERE migration_name = ANY ($1::text[]) AND finished_at IS NULL AND rolled_back_at IS NULL`;

/**
 * Brings a database that has all replaced migrations to the present ones, in one transaction, and
 * records those as applied that it need not run. Returns their names; none for other databases.
 */
export async function adopt(
  client: Client,
  { migrations, adoption }: MigrationFolder,
  rows: readonly Applied[],
): Promise<string[]> {
  const done = namesDone(rows);
  if (!adoption || done.size === 0 || migrations.some(({ name }) => done.has(name))) return [];
  if (!done.has(adoption.from)) throw tooOld(client, adoption);
  const adopted = migrations.filter(({ name }) => name <= adoption.to);
  const names = adopted.map(({ name }) => name);
  await client.query('BEGIN');
  try {
    await client.query(adoption.sql);
    await client.query(forgetFailedSql, [names]);
    await client.query(recordSql, [names, adopted.map(({ checksum }) => checksum)]);
    await client.query('COMMIT');
  } catch (error) {
    // Without its connection, PostgreSQL does so itself.
    await client.query('ROLLBACK').catch(() => {});
    throw notAdopted(client, error);
  }
  return names;
}

function notAdopted({ database }: Client, error: unknown): Failure {
  return new Failure(
    `${database} could not be brought to the present migrations:\n${messageOf(error)}`,
    'It is as it was. Remove the cause and run this again: the user of the URL has to own all ' +
      'tables and functions, and nothing else may depend on those that go.',
  );
}

function tooOld({ database }: Client, { from }: Adoption): Failure {
  return new Failure(
    `The migrations of ${database} were replaced by fewer ones, and it lacks the last of them.`,
    `Migrate it with the newest version that has ${from}, and then with this one.`,
  );
}
