import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { serviceFolder } from './folders.js';
import { execute } from './migrations/adapter.js';
import { migrate } from './migrations/migrate.js';
import { readMigrationFolder } from './migrations/migration-folder.js';
import { Failure } from './screen.js';
import { onServer, type ServiceName } from './services.js';

/** Any number that nothing else on the server uses for an advisory lock. */
const lockKey = 72_707_370;

/** What PostgreSQL answers while somebody else copies, or looks at, the template. */
const templateBusy = '55006';
const copyDeadlineMs = 30_000;
const copyPollMs = 50;

/** A migrated, empty database of a service, from which tests make their own in milliseconds. */
function templateOf(service: ServiceName): string {
  return `countersign_tpl_${service}`;
}

/** Makes the templates; two test runs on one server make them one after the other. */
export async function makeTemplates(
  services: readonly ServiceName[],
  serverUrl: string,
): Promise<void> {
  const client = new Client({ connectionString: serverUrl });
  client.on('error', () => {});
  await client.connect();
  try {
    await client.query('SELECT pg_advisory_lock($1)', [lockKey]);
    await Promise.all(services.map((service) => makeTemplate(service, serverUrl)));
  } finally {
    await client.end();
  }
}

async function makeTemplate(service: ServiceName, serverUrl: string): Promise<void> {
  const name = templateOf(service);
  const url = onServer(serverUrl, name);
  const folder = readMigrationFolder(join(serviceFolder(service), 'prisma/migrations'));
  try {
    await migrate({ url }, folder, { edited: 'refuse' });
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    // Left by a test run before the migration was edited: nothing of it is worth keeping.
    await execute(serverUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    await migrate({ url }, folder);
  }
}

/** Makes a database as a copy of a service's template. */
export async function copyTemplate(
  service: ServiceName,
  { serverUrl, name }: { serverUrl: string; name: string },
): Promise<void> {
  const deadline = Date.now() + copyDeadlineMs;
  // As files: page by page through the log takes twice as long, and is written once more later.
  const sql = `CREATE DATABASE ${name} TEMPLATE ${templateOf(service)} STRATEGY file_copy`;
  for (;;) {
    try {
      return await execute(serverUrl, sql);
    } catch (error) {
      const busy = (error as { code?: string }).code === templateBusy;
      if (!busy || Date.now() > deadline) throw error;
      await pause(copyPollMs);
    }
  }
}
