import { setTimeout as pause } from 'node:timers/promises';

export interface PaceOptions {
  everyMs: number;
  /**
   * A group of this size starts immediately, since waiting for more gains nothing; unset by
   * default.
   */
  readySize?: number;
}

/**
 * Keeps a minimum interval between the starts of groups of work, so that groups are larger and
 * share their round trip among more. After an idle interval the next group starts immediately: a
 * single request never waits for others that may not come.
 */
export class Pace {
  readonly #everyMs: number;
  readonly #readySize: number;
  #nextAt = 0;

  constructor({ everyMs, readySize = Number.POSITIVE_INFINITY }: PaceOptions) {
    this.#everyMs = everyMs;
    this.#readySize = readySize;
  }

  /** Resolves when the next group may start; `waiting` is its size so far. */
  async begin(waiting = 0): Promise<void> {
    const ms = this.#nextAt - performance.now();
    if (ms > 0 && waiting < this.#readySize) await pause(ms);
    this.#nextAt = performance.now() + this.#everyMs;
  }
}
