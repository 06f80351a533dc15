import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findServers } from './backing/find.js';
import { removeRunFolder } from './backing/server-home.js';
import type { ServerName } from './backing/server-kind.js';
import { type Seed, seedDemo } from './demo-client.js';
import { makeStateFolder } from './folders.js';
import { execute } from './migrations/connection.js';
import { PortPicker } from './ports.js';
import { newKeys } from './run-keys.js';
import { pickPorts, type ReplicaCounts } from './service-environment.js';
import { startServices } from './service-process.js';
import {
  type Database,
  databasesOf,
  onServer,
  type ServiceName,
  serviceNames,
} from './services.js';
import { Supervisor } from './supervisor.js';
import { copyTemplate, makeTemplates } from './templates.js';

export interface StackOptions {
  /** Additional environment for every service. */
  env?: Record<string, string>;
  /** All six by default. */
  services?: readonly ServiceName[];
  /** Number of processes per service; one by default. */
  replicas?: ReplicaCounts;
  /** Servers for this stack alone, which a test may kill; others are shared by the test run. */
  ownServers?: readonly ServerName[];
  /**
   * Creates a demo Client in both environments; needs the gateway and identity. True by default.
   */
  seed?: boolean;
}

/** Replicas after the first are numbered: `ledger`, `ledger-2`, `ledger-3`. */
export type ProcessName = ServiceName | `${ServiceName}-${number}` | ServerName;

/** A whole installation for one test file: real processes, its own databases and namespace. */
export interface Stack extends Processes {
  baseUrl: string;
  /** One per gateway; the first is `baseUrl`. */
  gatewayUrls: readonly string[];
  internalUrl: string;
  adminKey: string;
  /** Null if it was not requested. */
  seed: Seed | null;
  databases: readonly Database[];
  urls: Record<ServerName, string>;
  logFolder: string;
  /** Ends everything and drops the databases. */
  stop(): Promise<void>;
}

interface Processes {
  pid(name: ProcessName): number | null;
  /** A process that dies of it is restarted, as under `npm start`. */
  kill(name: ProcessName, signal: NodeJS.Signals): void;
  /** Ends a process in an orderly way; it stays down until `startProcess`. */
  stopProcess(name: ProcessName): Promise<void>;
  startProcess(name: ProcessName): Promise<void>;
  restart(name: ProcessName): Promise<void>;
  /** Resolves when a process that was killed is ready again. */
  untilReady(name: ProcessName): Promise<void>;
}

function given(variable: string): string {
  const url = process.env[variable];
  if (!url) throw new Error(`${variable} is not set: run the tests with npm test`);
  return url;
}

const testVariables: Record<ServerName, string> = {
  postgres: 'TEST_POSTGRES_URL',
  redis: 'TEST_REDIS_URL',
  nats: 'TEST_NATS_URL',
};

/**
 * Starts the services on copies of the migrated template databases, and waits until they are ready.
 */
export async function startStack(options: StackOptions = {}): Promise<Stack> {
  const id = randomBytes(5).toString('hex');
  const base = process.env.TEST_STATE_FOLDER ?? join(tmpdir(), 'countersign');
  const folder = makeStateFolder(join(base, `stack-${id}`));
  const logFolder = join(process.env.TEST_LOG_FOLDER ?? join(base, 'logs'), `stack-${id}`);
  const supervisor = new Supervisor();
  const databases: Database[] = [];
  const stop = async (): Promise<void> => {
    await supervisor.stop();
    await dropDatabases(databases);
    removeRunFolder(folder);
  };
  try {
    const ready = await makeReady(options, { id, folder, logFolder, supervisor, databases });
    return { ...ready, ...processesOf(supervisor), databases, logFolder, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** What a stack is made of, and what must not be left of it. */
interface Site {
  id: string;
  folder: string;
  logFolder: string;
  supervisor: Supervisor;
  /** Those that were created so far. */
  databases: Database[];
}

async function makeReady(
  { env = {}, services = serviceNames, replicas, ownServers = [], seed = true }: StackOptions,
  site: Site,
) {
  const { id, folder, databases } = site;
  const picker = new PortPicker();
  const urls = await serversFor(ownServers, site, picker);
  if (ownServers.includes('postgres')) await makeTemplates(services, urls.postgres);
  databases.push(...(await copyDatabases(services, urls.postgres, id)));
  const ports = await pickPorts(picker, { replicas });
  const keys = newKeys();
  const baseUrl = `http://127.0.0.1:${ports.port}`;
  const internalUrl = `http://127.0.0.1:${ports.internalPort}`;
  const plan = {
    env: { ...process.env, NAMESPACE: `stack_${id}`, ...env },
    databases,
    redisUrl: urls.redis,
    natsUrl: urls.nats,
    keys,
    baseUrl: env.BASE_URL ?? baseUrl,
    ports,
    stateFolder: folder,
  };
  await startServices(services, { ...site, plan });
  const { adminKey } = keys;
  return {
    baseUrl,
    gatewayUrls: ports.gateways.map(({ port }) => `http://127.0.0.1:${port}`),
    internalUrl,
    adminKey,
    seed: seed ? await seedDemo({ baseUrl, internalUrl, adminKey }) : null,
    urls,
  };
}

function processesOf(supervisor: Supervisor): Processes {
  return {
    pid: (name) => supervisor.get(name).pid,
    kill: (name, signal) => supervisor.get(name).kill(signal),
    stopProcess: (name) => supervisor.get(name).stop(),
    startProcess: (name) => supervisor.get(name).start(),
    restart: (name) => supervisor.get(name).restart(),
    untilReady: (name) => supervisor.get(name).untilReady(),
  };
}

async function serversFor(
  own: readonly ServerName[],
  { supervisor, folder, logFolder }: Site,
  picker: PortPicker,
): Promise<Record<ServerName, string>> {
  const found = await findServers(own, {
    supervisor,
    ports: picker,
    homeFolder: join(folder, 'data'),
    logFolder,
    durable: false,
    env: {},
  });
  const url = (name: ServerName): string => found[name]?.url ?? given(testVariables[name]);
  return { postgres: url('postgres'), redis: url('redis'), nats: url('nats') };
}

/** Concurrently, since copying mostly waits for the server. */
async function copyDatabases(
  services: readonly ServiceName[],
  serverUrl: string,
  id: string,
): Promise<Database[]> {
  const copies = services.flatMap(databasesOf).map(async (database) => {
    const name = `${database.name}_${id}`;
    await copyTemplate(database.service, { serverUrl, name });
    return { ...database, name, url: onServer(serverUrl, name) };
  });
  return Promise.all(copies);
}

async function dropDatabases(databases: readonly Database[]): Promise<void> {
  const drops = databases.map(({ url, name }) =>
    execute(onServer(url, 'postgres'), `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
  );
  // If the test killed its own PostgreSQL, there is none to drop databases from.
  await Promise.allSettled(drops);
}
