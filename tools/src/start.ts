import { join } from 'node:path';
import { type BackingServer, findServers } from './backing/find.js';
import type { ServerName } from './backing/server-kind.js';
import { devFile, readDevFile } from './dev-file.js';
import { DevFileKeeper } from './dev-file-keeper.js';
import { makeStateFolder, stateFolder } from './folders.js';
import { localPorts } from './local-ports.js';
import { migrateAll } from './migrate.js';
import { PortPicker } from './ports.js';
import { runKeys } from './run-keys.js';
import { isRunLock, type RunLock, takeRunLock } from './run-lock.js';
import { Failure, say, timed } from './screen.js';
import { ensureSeed, printSeed } from './seed.js';
import type { ServicePlan } from './service-environment.js';
import { startServices } from './service-process.js';
import { locateDatabases, serviceNames } from './services.js';
import { stopOnSignals } from './signals.js';
import type { Death } from './supervised-process.js';
import { Supervisor } from './supervisor.js';

const logFolder = join(stateFolder, 'logs');

/** `npm start`: the whole installation on this machine, until Ctrl-C. */
export async function main(): Promise<void> {
  makeStateFolder(stateFolder);
  const lock = await takeLock();
  const keeper = new DevFileKeeper(devFile);
  const supervisor = new Supervisor({
    died: tellDeath,
    changed: () => {
      lock.record(supervisor.charges());
      keeper.write(supervisor);
    },
  });
  const stop = async (): Promise<void> => {
    keeper.close();
    await supervisor.stop();
    lock.release();
  };
  const ending = stopOnSignals(async () => {
    say('stopping');
    await stop();
    say('stopped');
  });
  try {
    await startAll(supervisor, keeper);
  } catch (error) {
    // If a shutdown was requested, processes that were starting fail because of it.
    if (ending.requested) return ending.forever;
    await stop();
    throw error;
  }
  return ending.forever;
}

async function takeLock(): Promise<RunLock> {
  const taken = await takeRunLock(stateFolder);
  if (isRunLock(taken)) return taken;
  const address = readDevFile()?.base_url;
  throw new Failure(
    `An instance of this checkout is already running${address ? ` at ${address}` : ''}.`,
    `Use it, or stop it first (Ctrl-C there, or kill ${taken.pid}).`,
  );
}

async function startAll(supervisor: Supervisor, keeper: DevFileKeeper): Promise<void> {
  const picker = new PortPicker();
  const ports = await localPorts(picker, process.env);
  const backing = await startBacking(supervisor, picker);
  const { located } = locateDatabases(serviceNames, {
    env: process.env,
    serverUrl: backing.postgres?.url ?? null,
  });
  await timed(`${located.length} databases are up to date`, () =>
    migrateAll(located, { edited: 'refuse' }),
  );
  const local = `http://127.0.0.1:${ports.port}`;
  const internalUrl = `http://127.0.0.1:${ports.internalPort}`;
  const plan: ServicePlan = {
    // The console is off by default, but wanted when trying the product locally.
    env: { CONSOLE: 'on', ...process.env },
    databases: located,
    redisUrl: backing.redis.url,
    natsUrl: backing.nats.url,
    keys: runKeys(stateFolder, process.env),
    baseUrl: process.env.BASE_URL || local,
    ports,
    stateFolder,
  };
  await timed(`${serviceNames.length} services are ready`, () =>
    startServices(serviceNames, { supervisor, plan, logFolder }),
  );
  const target = { baseUrl: local, internalUrl, adminKey: plan.keys.adminKey };
  const seed = await ensureSeed(join(stateFolder, 'seed.json'), target);
  keeper.open({ plan, internalUrl, seed, backing }, supervisor);
  printSeed(seed, plan.baseUrl, plan.env.CONSOLE === 'on');
  process.stdout.write(`ready ${plan.baseUrl}\n`);
}

export type Backing = Record<'redis' | 'nats', BackingServer> & { postgres: BackingServer | null };

/** Starts PostgreSQL only if some database is not named in the environment. */
async function startBacking(supervisor: Supervisor, picker: PortPicker): Promise<Backing> {
  const { missing } = locateDatabases(serviceNames, { env: process.env, serverUrl: null });
  const names: ServerName[] =
    missing.length > 0 ? ['postgres', 'redis', 'nats'] : ['redis', 'nats'];
  const found = await findServers(names, {
    supervisor,
    ports: picker,
    homeFolder: join(stateFolder, 'data'),
    logFolder,
    durable: true,
    env: process.env,
  });
  return { redis: found.redis, nats: found.nats, postgres: found.postgres ?? null };
}

function tellDeath({ name, how, lastLines, retryInMs }: Death): void {
  say(`${name} ended (${how}) and is started again in ${retryInMs} ms`);
  const indented = lastLines.replaceAll(/^/gm, '    ');
  if (lastLines) process.stdout.write(`  its log ends with\n${indented}\n`);
}
