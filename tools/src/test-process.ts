import { type ChildProcess, spawn } from 'node:child_process';
import { markOf } from '../bootstrap/process-mark.mjs';
import { signal } from './ending.js';
import { rootFolder } from './folders.js';
import type { Supervisor } from './supervisor.js';

/** The output of a test file, and how it ended. */
export interface TestRun {
  file: string;
  /** TAP and any other output. */
  output: string;
  /** `code 0`, the name of the signal that ended it, or that it timed out. */
  how: string;
  tookMs: number;
}

export interface TestSurroundings {
  supervisor: Supervisor;
  env: NodeJS.ProcessEnv;
  times?: TestTimes;
}

export interface TestTimes {
  /** Timeout of a file that does not ask for another. */
  usualMs: number;
  /** After its timeout a file reports what it is waiting for; it is killed if it cannot. */
  graceMs: number;
}

const usualTimes: TestTimes = { usualMs: 360_000, graceMs: 20_000 };

/**
 * Runs a test file as a plain program. Tap's own runner would collect coverage: Node.js would have
 * to report every module that the file and the services it starts load, which costs more than many
 * a test.
 */
export async function runTestFile(
  file: string,
  { supervisor, env, times = usualTimes }: TestSurroundings,
): Promise<TestRun> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, ['--enable-source-maps', file], {
    cwd: rootFolder,
    env: { ...env, TAP_TIMEOUT: String(times.usualMs / 1_000) },
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const mark = child.pid === undefined ? null : markOf(child.pid);
  if (mark) supervisor.adopt({ ...mark, name: file, kind: 'service', stopSignal: 'SIGTERM' });
  const clock = endInTime(child, times);
  const chunks: Buffer[] = [];
  child.stdout?.on('data', (chunk: Buffer) => chunks.push(chunk));
  const how = await new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code, signalName) => resolve(signalName ?? `code ${code}`));
  });
  clock.stop();
  if (mark) supervisor.release(mark.pid);
  const output = Buffer.concat(chunks).toString('utf8');
  const tookMs = performance.now() - startedAt;
  return { file, output, how: clock.isOver ? 'out of time' : how, tookMs };
}

interface Clock {
  readonly isOver: boolean;
  stop(): void;
}

/** Kills a file that exceeds its timeout, which is the default until tap sets another. */
function endInTime(child: ChildProcess, { usualMs, graceMs }: TestTimes): Clock {
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;
  const end = (): void => {
    isOver = true;
    if (child.pid) signal(-child.pid, 'SIGKILL');
    // A process that it started in another group is not killed and may keep its output open.
    child.stdout?.destroy();
  };
  const allow = (timeoutMs: number): void => {
    clearTimeout(timer);
    timer = setTimeout(end, timeoutMs + graceMs);
  };
  allow(usualMs);
  // Test files may send messages of any kind besides tap's, including null.
  child.on('message', (message: { setTimeout?: unknown } | null) => {
    const askedMs = message?.setTimeout;
    // After the tests there is no timeout from tap: teardown gets the default.
    if (typeof askedMs === 'number') allow(askedMs || usualMs);
  });
  return {
    get isOver() {
      return isOver;
    },
    stop: () => clearTimeout(timer),
  };
}
