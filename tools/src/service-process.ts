import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { serviceFolder } from './folders.js';
import { Failure } from './screen.js';
import { portsOf, type ServicePlan, serviceEnvironment } from './service-environment.js';
import type { ServiceName } from './services.js';
import type { SupervisedProcess } from './supervised-process.js';
import type { Supervisor } from './supervisor.js';

const readyDeadlineMs = 2_000;
/**
 * As `npm start -w` and the images have it, in the service's own package.json. Most of what a
 * request makes is garbage at once, and a large young generation clears it in one go. Not so in the
 * ledger: there most is buffers, which count against a limit of their own, and each time that is
 * reached before the young generation is full, all of the heap is marked. A process that has rested
 * for some seconds must not forget its code or shrink its heap: the next burst would pay for both.
 */
export function nodeOptionsOf(name: ServiceName): string[] {
  const text = readFileSync(join(serviceFolder(name), 'package.json'), 'utf8');
  const { scripts } = JSON.parse(text) as { scripts: { start: string } };
  return ['--enable-source-maps', ...scripts.start.split(' ').filter((word) => word[0] === '-')];
}

export interface StartServicesOptions {
  supervisor: Supervisor;
  plan: ServicePlan;
  logFolder: string;
  /** Where `services/<name>/dist/main.js` is looked for; another folder in tests. */
  folderOf?: (name: ServiceName) => string;
  /** Tells processes of one supervisor apart. */
  nameOf?: (name: ServiceName) => string;
}

/** Starts services together, since they wait for each other, and waits until all are ready. */
export async function startServices(
  names: readonly ServiceName[],
  options: StartServicesOptions,
): Promise<void> {
  const { replicas } = options.plan.ports;
  await Promise.all(
    names.flatMap((name) =>
      replicas[name].map((_, replica) => startReplica(name, replica, options)),
    ),
  );
}

function startReplica(
  name: ServiceName,
  replica: number,
  { supervisor, plan, logFolder, folderOf = serviceFolder, nameOf }: StartServicesOptions,
): Promise<SupervisedProcess> {
  const cwd = folderOf(name);
  const entry = join(cwd, 'dist/main.js');
  if (!existsSync(entry)) throw new Failure(`${entry} is missing.`, 'Build it: npm run build.');
  const processName = replicaName(nameOf?.(name) ?? name, replica);
  return supervisor.start({
    name: processName,
    kind: 'service',
    command: process.execPath,
    args: [...nodeOptionsOf(name), entry],
    env: serviceEnvironment(name, plan, replica),
    cwd,
    owner: null,
    logFile: join(logFolder, `${processName}.log`),
    stopSignal: 'SIGTERM',
    isReady: () => isReady(portsOf(plan.ports, name, replica).health),
  });
}

/** `ledger`, `ledger-2`, `ledger-3` and so on. */
function replicaName(name: string, replica: number): string {
  return replica === 0 ? name : `${name}-${replica + 1}`;
}

async function isReady(port: number): Promise<boolean> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/readyz`, {
      signal: AbortSignal.timeout(readyDeadlineMs),
    });
    await response.body?.cancel();
    return response.status === 200;
  } catch {
    return false;
  }
}
