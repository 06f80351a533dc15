import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findServers } from './backing/find.js';
import { removeRunFolder } from './backing/server-home.js';
import { readDevFile } from './dev-file.js';
import { makeStateFolder, serviceFolder, stateFolder } from './folders.js';
import { diffToSchema } from './migrations/engine.js';
import { type MigrationFolder, readMigrationFolder } from './migrations/migration-folder.js';
import { PortPicker } from './ports.js';
import { Failure, say } from './screen.js';
import { isServiceName, serviceNames } from './services.js';
import { Supervisor } from './supervisor.js';

const usage =
  `npm run migration:new -- <${serviceNames.join('|')}> <name> [--empty]\n` +
  'The name says what changes, in lower case: add_labels. --empty is for SQL written by hand.';

/** Writes a new migration folder with the difference between the schema and the migrations. */
export async function main(args: readonly string[]): Promise<void> {
  const [service = '', name = '', ...flags] = args;
  const empty = flags.includes('--empty');
  if (!isServiceName(service) || !/^[a-z][a-z0-9_]*$/.test(name)) {
    throw new Failure('It takes a service and a name.', usage);
  }
  const prisma = join(serviceFolder(service), 'prisma');
  const folder = readMigrationFolder(join(prisma, 'migrations'));
  const schema = readFileSync(join(prisma, 'schema.prisma'), 'utf8');
  const shadowName = `countersign_shadow_${randomBytes(6).toString('hex')}`;
  const sql = await withServer((serverUrl) =>
    diffToSchema(folder, schema, { serverUrl, name: shadowName }),
  );
  if (sql === '' && !empty) {
    throw new Failure(`The migrations of ${service} already make what its schema says.`, usage);
  }
  const target = join(prisma, 'migrations', `${stampAfter(folder, new Date())}_${name}`);
  mkdirSync(target, { recursive: true });
  writeFileSync(join(target, 'migration.sql'), sql);
  const lock = join(prisma, 'migrations/migration_lock.toml');
  if (folder.lock === null) writeFileSync(lock, 'provider = "postgresql"\n');
  say(`wrote ${target}/migration.sql: read it before you commit it`);
}

/**
 * What the name of a new folder begins with, as Prisma's: UTC, to the second. Migrations apply in
 * the order of their names, so a new one comes behind all others, even where the last is dated
 * later than now. Before it, an empty database would get another schema than one that exists.
 */
export function stampAfter(folder: Pick<MigrationFolder, 'migrations'>, now: Date): string {
  const digits = /^\d{14}/.exec(folder.migrations.at(-1)?.name ?? '')?.[0];
  const last = digits?.replace(/(....)(..)(..)(..)(..)(..)/, '$1-$2-$3T$4:$5:$6Z') ?? 0;
  return stamp(new Date(Math.max(now.getTime(), new Date(last).getTime() + 1_000)));
}

function stamp(time: Date): string {
  return time.toISOString().replace(/\D/g, '').slice(0, 14);
}

/**
 * A server on which a temporary database may be created: a given one, a running one, or a new one.
 */
async function withServer<T>(work: (serverUrl: string) => Promise<T>): Promise<T> {
  const given = process.env.POSTGRES_URL || readDevFile()?.backing.postgres.url;
  if (given) return work(given);
  const folder = makeStateFolder(join(stateFolder, `shadow-${process.pid}`));
  const supervisor = new Supervisor();
  try {
    const { postgres } = await findServers(['postgres'], {
      supervisor,
      ports: new PortPicker(),
      homeFolder: join(folder, 'data'),
      logFolder: join(folder, 'logs'),
      durable: false,
      env: {},
    });
    return await work(postgres.url);
  } finally {
    await supervisor.stop();
    removeRunFolder(folder);
  }
}
