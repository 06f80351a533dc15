import { setTimeout as pause } from 'node:timers/promises';

export interface PaceOptions {
  everyMs: number;
  /**
   * After a group the interval is this long for each of its items, but at most `everyMs`, so that
   * items that come one by one hardly wait. By default it is `everyMs` after every group.
   */
  everyMsEach?: number;
  /**
   * A group that has this size when it begins starts immediately, since waiting for more gains
   * nothing; one that reaches it while it waits waits on. Unset by default.
   */
  readySize?: number;
  timing?: PaceTiming;
}

interface PaceTiming {
  /** Monotonic time in milliseconds. */
  now: () => number;
  pause: (ms: number) => Promise<unknown>;
}

const realTiming: PaceTiming = { now: () => performance.now(), pause };

/**
 * Keeps a minimum interval between the starts of groups of work, so that groups are larger and
 * share their round trip among more. After an idle interval the next group starts immediately: a
 * single request never waits for others that may not come.
 */
export class Pace {
  readonly #everyMs: number;
  readonly #everyMsEach: number;
  readonly #readySize: number;
  readonly #timing: PaceTiming;
  #nextAt = 0;

  constructor({
    everyMs,
    everyMsEach = Number.POSITIVE_INFINITY,
    readySize = Number.POSITIVE_INFINITY,
    timing = realTiming,
  }: PaceOptions) {
    this.#everyMs = everyMs;
    this.#everyMsEach = everyMsEach;
    this.#readySize = readySize;
    this.#timing = timing;
  }

  /** Resolves when the next group may start; `waiting` returns its size so far. */
  async begin(waiting: () => number = () => 1): Promise<void> {
    const { now, pause } = this.#timing;
    const ms = this.#nextAt - now();
    if (ms > 0 && waiting() < this.#readySize) await pause(ms);
    const intervalMs = Math.min(this.#everyMs, waiting() * this.#everyMsEach);
    this.#nextAt = now() + intervalMs;
  }
}
