import { setTimeout as pause } from 'node:timers/promises';
import { isRunning, type ProcessMark } from '../bootstrap/process-mark.mjs';

/** Time for a process to end by itself. */
const graceMs = 10_000;

const pollMs = 25;

/**
 * What ends first, since it needs the others to finish its work: the gateway, the services that it
 * calls, and the servers of all of them.
 */
export const endingOrder = ['gateway', 'service', 'server'] as const;

export interface Charge extends ProcessMark {
  name: string;
  kind: (typeof endingOrder)[number];
  /**
   * Signal for an orderly shutdown; PostgreSQL takes SIGTERM for "when the last client has left".
   */
  stopSignal: NodeJS.Signals;
}

/** Ends all processes in their order: signals each, waits, and kills those that have not ended. */
export async function endAll(charges: readonly Charge[]): Promise<void> {
  for (const kind of endingOrder) {
    const some = charges.filter((charge) => charge.kind === kind);
    await Promise.all(some.map((charge) => end(charge)));
  }
}

export async function end(charge: Charge, withinMs = graceMs): Promise<void> {
  if (!isRunning(charge)) return;
  signal(charge.pid, charge.stopSignal);
  if (await hasEnded(charge, withinMs)) return;
  // Each leads its own process group, so its children are killed too.
  signal(-charge.pid, 'SIGKILL');
  await hasEnded(charge, graceMs);
}

async function hasEnded(mark: ProcessMark, withinMs: number): Promise<boolean> {
  for (const deadline = Date.now() + withinMs; isRunning(mark); await pause(pollMs)) {
    if (Date.now() > deadline) return false;
  }
  return true;
}

/** Signals a process; one that has ended is not an error. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
