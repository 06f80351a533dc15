import { join } from 'node:path';
import { findServers } from '@countersign/tools/backing/find';
import { removeRunFolder } from '@countersign/tools/backing/server-home';
import { makeStateFolder, stateFolder } from '@countersign/tools/folders';
import { PortPicker } from '@countersign/tools/ports';
import { isRunLock, takeRunLock } from '@countersign/tools/run-lock';
import { serviceNames } from '@countersign/tools/services';
import { stopOnSignals } from '@countersign/tools/signals';
import { Supervisor } from '@countersign/tools/supervisor';
import { makeTemplates } from '@countersign/tools/templates';
import { useLogFiles } from './used-log.js';

const servers = ['postgres', 'redis', 'nats'] as const;
type ServerName = (typeof servers)[number];

/** By then the JIT compilers have optimised the code, and caches contain all 10,000 mandates. */
export const defaultWarmAfter = 25_000;

/** The servers shared by all measurements of a run, and the supervisor. */
export interface Lab {
  urls: Record<ServerName, string>;
  /** Process ids of the shared servers. */
  serverPids(): Record<string, number>;
  supervisor: Supervisor;
  ports: PortPicker;
  folder: string;
  logFolder: string;
  /** Number of answers after which a subject counts as warm. */
  warmAfter: number;
  stop(): Promise<void>;
}

/** Works with a lab, which is stopped in the end, by a failure or by a signal. */
export async function withLab<Result>(
  work: (lab: Lab) => Promise<Result>,
  warmAfter = defaultWarmAfter,
): Promise<Result> {
  const lab = await openLab(warmAfter);
  stopOnSignals(() => lab.stop());
  try {
    return await work(lab);
  } finally {
    await lab.stop();
  }
}

/** Starts PostgreSQL, Redis and NATS as `npm start` does: what they acknowledge is on disk. */
async function openLab(warmAfter: number): Promise<Lab> {
  const folder = makeStateFolder(join(stateFolder, `test-${process.pid}`));
  const logFolder = makeStateFolder(join(stateFolder, `logs/test-${process.pid}`));
  const lock = await takeRunLock(folder);
  if (!isRunLock(lock)) throw new Error(`${folder} is in use`);
  const supervisor = new Supervisor({ changed: () => lock.record(supervisor.charges()) });
  const ports = new PortPicker();
  const stop = async (): Promise<void> => {
    await supervisor.stop();
    removeRunFolder(folder);
  };
  try {
    const found = await findServers(servers, {
      supervisor,
      ports,
      homeFolder: join(folder, 'data'),
      logFolder,
      durable: true,
      env: {},
    });
    await makeTemplates(serviceNames, found.postgres.url);
    await useLogFiles(found.postgres.url);
    // The stacks find servers and their data folder like those of a test run.
    process.env.TEST_STATE_FOLDER = folder;
    process.env.TEST_LOG_FOLDER = logFolder;
    for (const name of servers) process.env[`TEST_${name.toUpperCase()}_URL`] = found[name].url;
    return {
      urls: { postgres: found.postgres.url, redis: found.redis.url, nats: found.nats.url },
      serverPids: () =>
        Object.fromEntries(servers.map((name) => [name, found[name].process?.pid ?? 0])),
      supervisor,
      ports,
      folder,
      logFolder,
      warmAfter,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
