import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { isRunning, markOf } from '../bootstrap/process-mark.mjs';
import { type Charge, end, signal } from './ending.js';
import { lastLines, sizeOf } from './log-file.js';
import type { Reaper } from './reaper.js';
import { Failure } from './screen.js';

/** User and group that a process runs as; only root may choose. */
export interface Owner {
  uid: number;
  gid: number;
}

export interface ProcessSpec {
  name: string;
  kind: Charge['kind'];
  command: string;
  args: readonly string[];
  env: NodeJS.ProcessEnv;
  cwd: string;
  owner: Owner | null;
  /** Receives both outputs; the terminal is for messages to the user. */
  logFile: string;
  stopSignal: NodeJS.Signals;
  /** Whether it is ready; polled, has its own deadline, never rejects. */
  isReady: () => Promise<boolean>;
}

export interface Death {
  name: string;
  /** `code 1` or the signal's name. */
  how: string;
  lastLines: string;
  /** Milliseconds until the restart. */
  retryInMs: number;
}

export interface ProcessEvents {
  /** Called when the pid has changed. */
  changed: () => void;
  died: (death: Death) => void;
}

/** The first is well below a second; the last bounds how often a failing process is restarted. */
const retryDelaysMs = [20, 100, 200, 400, 800, 1_600, 3_200, 5_000];
/** After a longer lifetime, a restart begins with the first delay again. */
const quickDeathMs = 5_000;
/** Starting has failed after this many exits before the process was ever ready. */
const maxDeathsAtStart = 5;
/**
 * Generous, because an exit is noticed immediately, and a slow start may be due to a busy machine.
 */
const readyTimeoutMs = 180_000;
const readyPollMs = 25;

/** A process that is restarted whenever it ends unexpectedly. */
export class SupervisedProcess {
  readonly spec: ProcessSpec;
  readonly #reaper: Reaper;
  readonly #events: ProcessEvents;
  #child: ChildProcess | null = null;
  #charge: Charge | null = null;
  /** Resolves when the exit of the current process has been handled. */
  #exit: Promise<void> = Promise.resolve();
  #wanted = false;
  #quickDeaths = 0;
  /** Where the log of the current process begins. */
  #logOffset = 0;
  #retry: NodeJS.Timeout | undefined;

  constructor(spec: ProcessSpec, reaper: Reaper, events: ProcessEvents) {
    this.spec = spec;
    this.#reaper = reaper;
    this.#events = events;
  }

  get pid(): number | null {
    return this.#charge?.pid ?? null;
  }

  get charge(): Charge | null {
    return this.#charge;
  }

  /** Resolves when it is ready; rejects with a Failure if it does not become ready. */
  async start(): Promise<void> {
    if (!this.#wanted) {
      this.#wanted = true;
      this.#quickDeaths = 0;
      this.#launch();
    }
    await this.untilReady();
  }

  async untilReady(): Promise<void> {
    const deadline = Date.now() + readyTimeoutMs;
    while (Date.now() < deadline) {
      if (!this.#wanted) throw this.#failure('was stopped while it was starting');
      if (this.#quickDeaths >= maxDeathsAtStart) {
        await this.stop();
        throw this.#failure(`died ${maxDeathsAtStart} times while it was starting`);
      }
      const charge = this.#charge;
      // Checked after the response, which may have come from a process that was being killed.
      if (charge && (await this.spec.isReady()) && isRunning(charge)) return;
      await pause(readyPollMs);
    }
    throw this.#failure(`is not ready after ${readyTimeoutMs / 1_000} s`);
  }

  /** Sends a signal; a process that dies of it is restarted. */
  kill(name: NodeJS.Signals): void {
    if (this.#charge) signal(this.#charge.pid, name);
  }

  /** Asks it to end, and kills it if it does not; it stays down until started again. */
  async stop(withinMs?: number): Promise<void> {
    this.#wanted = false;
    clearTimeout(this.#retry);
    const charge = this.#charge;
    if (charge) await end(charge, withinMs);
    await this.#exit;
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  #launch(): void {
    const { command, args, env, cwd, owner, logFile } = this.spec;
    this.#logOffset = sizeOf(logFile);
    const log = openSync(logFile, 'a', 0o600);
    // In its own process group: Ctrl-C must only reach the supervisor, which ends all in order.
    const child = spawn(command, args, {
      env,
      cwd,
      detached: true,
      stdio: ['ignore', log, log],
      ...(owner ? { uid: owner.uid, gid: owner.gid } : {}),
    });
    closeSync(log);
    const launchedAt = Date.now();
    this.#child = child;
    this.#take(child.pid);
    this.#exit = new Promise((resolve) => {
      const ended = (how: string): void => {
        this.#ended(child, how, launchedAt);
        resolve();
      };
      child.once('error', (error) => ended(error.message));
      child.once('exit', (code, signalName) => ended(signalName ?? `code ${code}`));
    });
  }

  #take(pid: number | undefined): void {
    const mark = pid === undefined ? null : markOf(pid);
    if (!mark) return;
    const { name, kind, stopSignal } = this.spec;
    this.#charge = { ...mark, name, kind, stopSignal };
    this.#reaper.add(this.#charge);
    this.#events.changed();
  }

  #ended(child: ChildProcess, how: string, launchedAt: number): void {
    if (this.#child !== child) return;
    this.#child = null;
    if (this.#charge) this.#reaper.remove(this.#charge.pid);
    this.#charge = null;
    this.#events.changed();
    if (!this.#wanted) return;
    // A process that was killed did not fail: it is always restarted within a second.
    const failedSoon = how !== 'SIGKILL' && Date.now() - launchedAt < quickDeathMs;
    this.#quickDeaths = failedSoon ? this.#quickDeaths + 1 : 1;
    const step = Math.min(this.#quickDeaths, retryDelaysMs.length) - 1;
    const retryInMs = retryDelaysMs[step] ?? 0;
    this.#retry = setTimeout(() => this.#launch(), retryInMs);
    const { name, logFile } = this.spec;
    const lines = lastLines(logFile, this.#logOffset);
    this.#events.died({ name, how, lastLines: lines, retryInMs });
  }

  #failure(what: string): Failure {
    const { name, logFile } = this.spec;
    const lines = lastLines(logFile, this.#logOffset);
    const advice = `Its log is ${logFile}${lines ? `; it ends with:\n${lines}` : ' and is empty.'}`;
    return new Failure(`${name} ${what}.`, advice);
  }
}
