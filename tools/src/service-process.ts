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
 * Same as in `npm start -w`, from the service's own package.json. The images have them too, and let
 * heaps grow further, because they run a newer Node.js that marks more often. Most objects of a
 * request die young, and a large young generation collects them cheaply. The ledger is different:
 * it mostly allocates buffers, which have a limit of their own, and reaching it triggers a full
 * marking of the heap before the young generation is full. An idle process must not discard
 * compiled code or shrink its heap, since the next burst would pay for both. What is in flight
 * during a collection survives it and is garbage soon after, so surviving once must not have the
 * objects after it allocated in the old generation (pretenuring).
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
}

/** Starts services concurrently, since they wait for each other, and waits until all are ready. */
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
  { supervisor, plan, logFolder }: StartServicesOptions,
): Promise<SupervisedProcess> {
  const cwd = serviceFolder(name);
  const entry = join(cwd, 'dist/main.js');
  if (!existsSync(entry)) throw new Failure(`${entry} is missing.`, 'Build it: npm run build.');
  const processName = replicaName(name, replica);
  return supervisor.start({
    name: processName,
    kind: name === 'gateway' ? 'gateway' : 'service',
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
