import { setTimeout as pause } from 'node:timers/promises';
import { cpuMsOf } from './cpu.js';
import type { Lab } from './lab.js';
import { generate } from './load/generator.js';
import type { LoadResult } from './load/job.js';
import type { Subject, Variation } from './subject.js';
import { inTurns } from './turns.js';

/** One subject under one load. */
export interface Round {
  subject: string;
  perSecond: number;
  /** CPU of its processes and of the shared servers, until they were idle again. */
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
/** CPU time within a window below which processes count as idle: 6 % of one core. */
const quietCpuMs = 15;
const maxDrainMs = 30_000;
const idleWindowMs = 1_000;

/**
 * Saturates the subject and measures its CPU until it is idle again, because events that are still
 * to be published belong to the cost of their requests.
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
 * CPU of the shared servers without load, per millisecond: the product polls its databases while
 * the alternative is measured too, which must not be charged for it.
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

/** Resolves when the processes are idle, or after a maximum time. */
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

/** A warm-up of each subject, then rounds in turn. */
export async function interleave(
  lab: Lab,
  contestants: readonly Contestant[],
  rounds: number,
): Promise<Round[][]> {
  for (const { subject, options } of contestants) await warmUp(lab, subject, options);
  return inTurns(contestants, rounds, ({ subject, options }) =>
    measureRound(lab, subject, options),
  );
}

const warmUpSliceMs = 3_000;
/** Upper bound for slow machines. */
const maxWarmUpSlices = 25;
const warm = new WeakMap<Subject, number>();

/**
 * Warms a subject up; if it is warm already, it only gets a short load of the same kind. Requests
 * that were refused do not count, since they only exercise the refusal.
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
