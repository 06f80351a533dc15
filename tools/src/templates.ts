import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { serviceFolder } from './folders.js';
import { execute } from './migrations/connection.js';
import { migrate } from './migrations/migrate.js';
import { readMigrationFolder } from './migrations/migration-folder.js';
import { Failure } from './screen.js';
import { onServer, type ServiceName } from './services.js';

/** Key of an advisory lock; any number not used otherwise on the server. */
const lockKey = 72_707_371;

/** PostgreSQL's error code while another session uses the template. */
const templateBusy = '55006';
const copyDeadlineMs = 30_000;
const copyPollMs = 50;

/** A migrated, empty database of a service, which tests copy in milliseconds. */
function templateOf(service: ServiceName): string {
  return `countersign_tpl_${service}`;
}

/** Creates the templates; concurrent test runs on one server do so one after the other. */
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
    // Left by a test run before the migration was edited, so it is outdated.
    await execute(serverUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    await migrate({ url }, folder);
  }
}

/** Creates a database as a copy of a service's template. */
export async function copyTemplate(
  service: ServiceName,
  { serverUrl, name }: { serverUrl: string; name: string },
): Promise<void> {
  const deadline = Date.now() + copyDeadlineMs;
  // STRATEGY file_copy: copying page by page through the WAL takes twice as long and writes
  // everything once more at the next checkpoint.
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
