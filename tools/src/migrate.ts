import { join } from 'node:path';
import { serviceFolder } from './folders.js';
import { markRolledBack } from './migrations/engine.js';
import { type MigrateOptions, migrate } from './migrations/migrate.js';
import { readMigrationFolder } from './migrations/migration-folder.js';
import { Failure, say, timed } from './screen.js';
import { type Database, isServiceName, locateDatabases, serviceNames } from './services.js';

/** Migrates all databases concurrently; prints what was applied. */
export async function migrateAll(
  databases: readonly Database[],
  options?: MigrateOptions,
): Promise<void> {
  await Promise.all(
    databases.map(async (database) => {
      const folder = readMigrationFolder(
        join(serviceFolder(database.service), 'prisma/migrations'),
      );
      const applied = await migrate(database, folder, options);
      if (applied.length > 0) say(`${database.name}: applied ${applied.join(', ')}`);
    }),
  );
}

/**
 * `npm run migrate`: every database named in the environment, by its own variable or on the server
 * of POSTGRES_URL. `-- retry <service> <migration>` allows a failed one to run again.
 */
export async function main(args: readonly string[]): Promise<void> {
  const serverUrl = process.env.POSTGRES_URL || null;
  const { located, missing } = locateDatabases(serviceNames, { env: process.env, serverUrl });
  if (located.length === 0) {
    throw new Failure(
      'No database to migrate.',
      `Set POSTGRES_URL to a server, or any of ${missing.join(', ')}. ` +
        'npm start migrates its own databases itself.',
    );
  }
  if (args[0] === 'retry') await retry(located, args[1] ?? '', args[2] ?? '');
  await timed(`${located.length} databases are up to date`, () => migrateAll(located));
  if (missing.length > 0) say(`not named, and left alone: ${missing.join(', ')}`);
}

async function retry(located: Database[], service: string, migration: string): Promise<void> {
  if (!isServiceName(service) || migration === '') {
    throw new Failure(
      'It takes a service and the name of the failed migration.',
      `npm run migrate -- retry <${serviceNames.join('|')}> <migration>`,
    );
  }
  for (const database of located.filter((each) => each.service === service)) {
    await markRolledBack(database.url, migration).then(
      () => say(`${database.name}: ${migration} will run again`),
      (error: Error) => say(`${database.name}: ${error.message}`),
    );
  }
}
