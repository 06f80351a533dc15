import { type OpenWire, openWires } from './closed.js';
import type { LoadJob, LoadResult } from './job.js';
import { requestMaker } from './requests.js';
import { Tally } from './tally.js';
import type { Wire } from './wire.js';

const tickMs = 1;
/** A response that takes longer counts as lost. */
const graceMs = 10_000;

/**
 * Sends at fixed times, whatever the server does, and measures each request from the time when it
 * was due, so that waiting for a free connection or a stalled server is included.
 */
export async function runOpen(job: LoadJob): Promise<LoadResult> {
  const { perSecond = 0 } = job;
  if (perSecond <= 0) throw new Error('an open load needs a rate');
  const wires = await openWires(job);
  const sending = new Schedule(wires, job);
  const startedAt = performance.now();
  const total = Math.floor((perSecond * job.durationMs) / 1_000);
  await new Promise<void>((resolve) => {
    let due = 0;
    const timer = setInterval(() => {
      const now = performance.now();
      while (due < total && startedAt + (due * 1_000) / perSecond <= now) {
        sending.due(startedAt + (due * 1_000) / perSecond);
        due += 1;
      }
      const late = now > startedAt + job.durationMs + graceMs;
      if (due < total || (sending.open > 0 && !late)) return;
      clearInterval(timer);
      resolve();
    }, tickMs);
  });
  // Until the last response, because late ones were not completed within the duration of the load.
  const result = sending.finish(performance.now() - startedAt);
  for (const { wire } of wires) wire.close();
  return result;
}

class Schedule {
  readonly #tally: Tally;
  readonly #make: () => Buffer;
  /** The longest unused first, because the server closes connections that are idle for seconds. */
  readonly #idle: Wire[] = [];
  /** Due times of the requests that are waiting for a free connection. */
  readonly #waiting: number[] = [];
  #sent = 0;

  constructor(wires: readonly OpenWire[], job: LoadJob) {
    this.#tally = new Tally();
    this.#make = requestMaker(job.plan, job.port);
    for (const { wire } of wires) this.#idle.push(wire);
  }

  /** Requests that are due and unanswered. */
  get open(): number {
    return this.#sent + this.#waiting.length - this.#tally.completed;
  }

  due(at: number): void {
    const wire = this.#idle.shift();
    if (wire) this.#send(wire, at);
    else this.#waiting.push(at);
  }

  finish(elapsedMs: number): LoadResult {
    this.#tally.lost = this.open;
    return this.#tally.result(elapsedMs);
  }

  #send(wire: Wire, dueAt: number): void {
    this.#sent += 1;
    wire.send(this.#make(), (status, body) => {
      this.#tally.answered(status, body, performance.now() - dueAt);
      const next = this.#waiting.shift();
      if (next === undefined) this.#idle.push(wire);
      else this.#send(wire, next);
    });
  }
}
