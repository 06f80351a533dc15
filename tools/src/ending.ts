import { setTimeout as pause } from 'node:timers/promises';
import { isRunning, type ProcessMark, signal } from './process-mark.js';

/** How long a process may take to end by itself. */
export const graceMs = 10_000;

const pollMs = 25;

export interface Charge extends ProcessMark {
  name: string;
  /** Services end before the servers they still need to finish their work. */
  kind: 'service' | 'server';
  /** Asks it to end in order: PostgreSQL takes SIGTERM for "when the last client has left". */
  stopSignal: NodeJS.Signals;
}

/** Ends all, services first: asks each, waits, and kills what has not ended. */
export async function endAll(charges: readonly Charge[]): Promise<void> {
  for (const kind of ['service', 'server'] as const) {
    const some = charges.filter((charge) => charge.kind === kind);
    await Promise.all(some.map((charge) => end(charge)));
  }
}

export async function end(charge: Charge, withinMs = graceMs): Promise<void> {
  if (!isRunning(charge)) return;
  signal(charge.pid, charge.stopSignal);
  if (await hasEnded(charge, withinMs)) return;
  // Each was started as leader of a group of its own, so its children go with it.
  signal(-charge.pid, 'SIGKILL');
  await hasEnded(charge, graceMs);
}

async function hasEnded(mark: ProcessMark, withinMs: number): Promise<boolean> {
  for (const deadline = Date.now() + withinMs; isRunning(mark); await pause(pollMs)) {
    if (Date.now() > deadline) return false;
  }
  return true;
}
