import { join } from 'node:path';
import { type BackingServer, findServers } from './backing/find.js';
import { removeRunFolder } from './backing/server-home.js';
import type { ServerName } from './backing/server-kind.js';
import { makeStateFolder, stateFolder } from './folders.js';
import { removeLeftovers } from './leftovers.js';
import { PortPicker } from './ports.js';
import { isRunLock, takeRunLock } from './run-lock.js';
import { Failure, say, timed } from './screen.js';
import type { ServiceName } from './services.js';
import { stopOnSignals } from './signals.js';
import { Supervisor } from './supervisor.js';
import { makeTemplates } from './templates.js';

/** Exit code of an interrupted run: what did not run has not passed. */
const interrupted = 1;

export interface TemporaryRunOptions<N extends ServerName> {
  backing: readonly N[];
  /** Those whose databases get a template. */
  services: readonly ServiceName[];
  durable: boolean;
  /** Environment in which URLs of existing servers are looked up. */
  env: NodeJS.ProcessEnv;
}

/** Servers and folders for tests or measurements, which are gone when these end. */
export interface TemporaryRun<N extends ServerName> {
  folder: string;
  /** Stays, for what went wrong. */
  logFolder: string;
  supervisor: Supervisor;
  ports: PortPicker;
  servers: Record<N, BackingServer>;
  /** How tests and their stacks find all this. */
  env: Record<string, string>;
}

/** Works with a run of its own, which is stopped in the end, by a failure or by a signal. */
export async function withTemporaryRun<N extends ServerName, Result>(
  options: TemporaryRunOptions<N>,
  work: (run: TemporaryRun<N>) => Promise<Result>,
): Promise<Result> {
  await removeLeftovers();
  const folder = makeStateFolder(join(stateFolder, `test-${process.pid}`));
  const logFolder = makeStateFolder(join(stateFolder, `logs/test-${process.pid}`));
  const lock = await takeRunLock(folder);
  if (!isRunLock(lock)) throw new Failure(`${folder} is in use.`, 'Run the command again.');
  const supervisor = new Supervisor({
    changed: () => lock.record(supervisor.charges()),
    died: ({ name, how }) => say(`${name} ended (${how}) and is started again`),
  });
  const stop = async (): Promise<void> => {
    await supervisor.stop();
    removeRunFolder(folder);
  };
  const ending = stopOnSignals(stop, interrupted);
  try {
    const site = { folder, logFolder, supervisor, ports: new PortPicker() };
    const servers = await startServers(site, options);
    return await work({ ...site, servers, env: environmentOf(site, servers) });
  } finally {
    // What was interrupted has no result, and the process is about to end.
    if (ending.requested) await ending.forever;
    await stop();
  }
}

type RunSite = Omit<TemporaryRun<never>, 'servers' | 'env'>;

async function startServers<N extends ServerName>(
  { folder, logFolder, supervisor, ports }: RunSite,
  { backing, services, durable, env }: TemporaryRunOptions<N>,
): Promise<Record<N, BackingServer>> {
  const homeFolder = join(folder, 'data');
  const where = { supervisor, ports, homeFolder, logFolder, durable, env };
  const found = await findServers(backing, where);
  const { postgres }: Partial<Record<ServerName, BackingServer>> = found;
  if (postgres && services.length > 0) {
    await timed('migrated the template databases', () => makeTemplates(services, postgres.url));
  }
  return found;
}

function environmentOf(
  { folder, logFolder }: RunSite,
  servers: Partial<Record<ServerName, BackingServer>>,
): Record<string, string> {
  const urls = Object.entries(servers).map(([name, { url }]) => [
    `TEST_${name.toUpperCase()}_URL`,
    url,
  ]);
  return { ...Object.fromEntries(urls), TEST_STATE_FOLDER: folder, TEST_LOG_FOLDER: logFolder };
}
