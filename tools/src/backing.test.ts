import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { type Test, test } from 'tap';
import { type BackingServer, type FindOptions, findServers } from './backing/find.js';
import { removeRunFolder } from './backing/server-home.js';
import { PortPicker } from './ports.js';
import { Supervisor } from './supervisor.js';

const ports = new PortPicker();

function options(t: Test, more: Partial<FindOptions> = {}): FindOptions {
  const folder = mkdtempSync(join(tmpdir(), 'backing-'));
  const supervisor = new Supervisor();
  t.teardown(async () => {
    await supervisor.stop();
    removeRunFolder(folder);
  });
  return {
    supervisor,
    ports,
    homeFolder: join(folder, 'data'),
    logFolder: join(folder, 'logs'),
    durable: false,
    env: {},
    ...more,
  };
}

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

/** Kills the server and waits until its restarted process answers. */
async function killed({ process: server }: BackingServer): Promise<void> {
  if (!server) throw new Error('it is our own');
  const before = server.pid;
  server.kill('SIGKILL');
  while (server.pid === before) await pause(5);
  await server.untilReady();
}

test('own servers answer on free ports, and are back after kill -9', async (t) => {
  const names = ['postgres', 'redis', 'nats'] as const;
  const found = await findServers(names, options(t));
  for (const name of names) {
    const { port, hostname } = new URL(found[name].url);
    t.equal(hostname, '127.0.0.1');
    t.notOk(['5432', '6379', '4222'].includes(port), `${name} leaves the standard port alone`);
  }
  const { postgres } = found;
  await query(postgres.url, 'CREATE TABLE kept AS SELECT 42 AS value');
  for (const name of names) await killed(found[name]);
  t.same(await query(postgres.url, 'SELECT value FROM kept'), [{ value: 42 }], 'the same data');
});

test('PostgreSQL is durable, asks for its password, and takes many connections', async (t) => {
  const { postgres } = await findServers(['postgres'], options(t, { durable: true }));
  const url = new URL(postgres.url);
  t.same(
    await query(
      postgres.url,
      `SELECT name, setting FROM pg_settings WHERE name IN
       ('fsync', 'synchronous_commit', 'full_page_writes', 'max_connections') ORDER BY name`,
    ),
    [
      { name: 'fsync', setting: 'on' },
      { name: 'full_page_writes', setting: 'on' },
      { name: 'max_connections', setting: '300' },
      { name: 'synchronous_commit', setting: 'on' },
    ],
  );
  url.password = 'guessed';
  await t.rejects(query(url.toString(), 'SELECT 1'), /password authentication failed/);
});

test('the same folder gives the same data to the next run', async (t) => {
  const first = options(t);
  const { postgres } = await findServers(['postgres'], first);
  await query(postgres.url, 'CREATE TABLE kept AS SELECT 7 AS value');
  await first.supervisor.stop();
  const second = options(t, { homeFolder: first.homeFolder });
  const again = await findServers(['postgres'], second);
  t.same(await query(again.postgres.url, 'SELECT value FROM kept'), [{ value: 7 }]);
});

test('data that need not be durable is gone with its run, wherever it was', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'backing-'));
  // A stack that a killed run has left is in the folder of that run.
  const homes = [join(folder, 'data'), join(folder, 'stack-1/data')];
  for (const homeFolder of homes) {
    const { supervisor, ...rest } = options(t, { homeFolder });
    await findServers(['redis'], { supervisor, ...rest });
    await supervisor.stop();
  }
  const places = homes.map((home) => realpathSync(home));
  t.ok(places.every(existsSync));
  removeRunFolder(folder);
  t.notOk(places.some(existsSync));
});

test('data that must be durable is on disk', async (t) => {
  const { homeFolder, supervisor, ...rest } = options(t, { durable: true });
  await findServers(['redis'], { homeFolder, supervisor, ...rest });
  t.notMatch(realpathSync(homeFolder), /^\/dev\/shm/);
});

test('a server that the environment names is used, and is not ours to end', async (t) => {
  const { redis } = await findServers(['redis'], options(t));
  const other = await findServers(['redis'], options(t, { env: { REDIS_URL: redis.url } }));
  t.equal(other.redis.url, redis.url);
  t.equal(other.redis.process, null);
  const env = { NATS_URL: 'nats://user:secret@127.0.0.1:1' };
  const error = await findServers(['nats'], options(t, { env })).catch((reason) => reason);
  t.match(error, { name: 'Failure', message: /NATS_URL is set, and no NATS answers/ });
  t.notMatch(JSON.stringify(error), /secret/);
});

test('where nothing is found, it is said what to install', async (t) => {
  const empty = mkdtempSync(join(tmpdir(), 'path-'));
  t.teardown(() => removeRunFolder(empty));
  mkdirSync(join(empty, 'bin'));
  // Enough to look up a user, but nothing that could provide a server.
  symlinkSync('/usr/bin/id', join(empty, 'bin/id'));
  // A program of that name that fails to run is skipped.
  writeFileSync(join(empty, 'bin/nats-server'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
  const script = `
    import { findServer } from '${new URL('./backing/find.js', import.meta.url).href}';
    import { nats } from '${new URL('./backing/nats.js', import.meta.url).href}';
    const kind = { ...nats, binaries: ['no-such-server'] };
    const options = { ports: { pick: () => 1 }, homeFolder: '${join(empty, 'data')}', env: {} };
    const fault = await findServer(kind, options).catch((error) => error);
    console.log(fault.name + ': ' + fault.message + ' ' + fault.advice);
  `;
  const said = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
    env: { PATH: join(empty, 'bin') },
    encoding: 'utf8',
  });
  t.match(said, /Failure: There is no NATS here\. Install it \(.*apt-get install nats-server/);
});
