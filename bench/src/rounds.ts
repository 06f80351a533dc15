import { setTimeout as pause } from 'node:timers/promises';
import { cpuMsOf } from './cpu.js';
import type { Lab } from './lab.js';
import { generate } from './load/generator.js';
import type { LoadResult } from './load/job.js';
import type { Subject, Variation } from './subject.js';

/** One subject under one load. */
export interface Round {
  subject: string;
  perSecond: number;
  /** Of all its processes and of the shared servers, until it had nothing left to do. */
  cpuMicrosEach: number;
  /** The same, by process. */
  cpuMicrosByProcess: Record<string, number>;
  load: LoadResult;
}

export interface RoundOptions {
  connections?: number;
  durationMs?: number;
  variation?: Variation;
}

const defaultConnections = 256;
const defaultRoundMs = 4_000;

const quietWindowMs = 250;
/** CPU time within a window below which what remains is idling: 6 % of one core. */
const quietCpuMs = 15;
const maxDrainMs = 30_000;
const idleWindowMs = 1_000;

/**
 * Saturates the subject and counts its CPU until it is quiet again: events that wait to be
 * published are work of the requests that made them.
 */
export async function measureRound(
  lab: Lab,
  subject: Subject,
  options: RoundOptions = {},
): Promise<Round> {
  const processes = { ...subject.pids(), ...lab.serverPids() };
  const foreign = subject.isProduct ? {} : await idleRates(lab.serverPids());
  const startedAt = performance.now();
  const before = cpuMsByProcess(processes);
  const load = await generate({
    model: 'closed',
    port: subject.port,
    plan: subject.plan(options.variation),
    connections: options.connections ?? defaultConnections,
    durationMs: options.durationMs ?? defaultRoundMs,
  });
  await untilQuiet(processes);
  const after = cpuMsByProcess(processes);
  const elapsedMs = performance.now() - startedAt;
  const micros = Object.keys(processes).map((name): [string, number] => {
    const used = (after[name] ?? 0) - (before[name] ?? 0);
    const own = Math.max(0, used - (foreign[name] ?? 0) * elapsedMs);
    return [name, (own * 1_000) / load.completed];
  });
  return {
    subject: subject.name,
    perSecond: (load.completed * 1_000) / load.elapsedMs,
    cpuMicrosEach: micros.reduce((sum, [, each]) => sum + each, 0),
    cpuMicrosByProcess: Object.fromEntries(micros),
    load,
  };
}

/**
 * What the shared servers use while nobody is loaded, per millisecond: the product polls its
 * databases also while its opponent is measured, and the opponent must not pay for that.
 */
async function idleRates(servers: Record<string, number>): Promise<Record<string, number>> {
  const before = cpuMsByProcess(servers);
  await pause(idleWindowMs);
  const after = cpuMsByProcess(servers);
  const rates = Object.keys(servers).map((name): [string, number] => [
    name,
    ((after[name] ?? 0) - (before[name] ?? 0)) / idleWindowMs,
  ]);
  return Object.fromEntries(rates);
}

export function cpuMsByProcess(processes: Record<string, number>): Record<string, number> {
  const entries = Object.entries(processes);
  return Object.fromEntries(entries.map(([name, pid]) => [name, cpuMsOf([pid])]));
}

/** Resolves when the processes have nothing to do any more, or will not come to rest. */
export async function untilQuiet(processes: Record<string, number>): Promise<void> {
  const pids = Object.values(processes);
  const deadline = performance.now() + maxDrainMs;
  let before = cpuMsOf(pids);
  while (performance.now() < deadline) {
    await pause(quietWindowMs);
    const now = cpuMsOf(pids);
    if (now - before <= quietCpuMs) return;
    before = now;
  }
}

export interface Contestant {
  subject: Subject;
  options?: RoundOptions;
}

/**
 * A warm-up of each, then rounds A B B A A B …: a noisy neighbour disturbs all alike, and so does
 * what a round leaves behind for the next, such as tables to be vacuumed.
 */
export async function interleave(
  lab: Lab,
  contestants: readonly Contestant[],
  rounds: number,
): Promise<Round[][]> {
  const results: Round[][] = contestants.map(() => []);
  for (const { subject, options } of contestants) await warmUp(lab, subject, options);
  for (let round = 0; round < rounds; round += 1) {
    const inOrder = [...contestants.entries()];
    for (const [index, { subject, options }] of round % 2 ? inOrder.reverse() : inOrder) {
      results[index]?.push(await measureRound(lab, subject, options));
    }
  }
  return results;
}

const warmUpSliceMs = 3_000;
/** However slow a machine is, it gets this much time to become warm. */
const maxWarmUpSlices = 25;
const warm = new WeakMap<Subject, number>();

/**
 * Brings a subject to its running temperature; one that is warm gets a short load of the kind. What
 * it refused while it was cold has warmed nothing but the refusal.
 */
export async function warmUp(lab: Lab, subject: Subject, options?: RoundOptions): Promise<void> {
  let answered = warm.get(subject) ?? 0;
  for (let slice = 0; slice < maxWarmUpSlices; slice += 1) {
    const { load } = await measureRound(lab, subject, { ...options, durationMs: warmUpSliceMs });
    answered += load.approved;
    if (load.completed < (options?.variation?.keysGoRound ?? 0)) {
      throw new Error(`${subject.name} is too slow: what is to be repeated was not sent once`);
    }
    if (answered >= lab.warmAfter) break;
  }
  warm.set(subject, answered);
}
