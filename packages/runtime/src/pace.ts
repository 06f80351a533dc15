import { setTimeout as pause } from 'node:timers/promises';

export interface PaceOptions {
  everyMs: number;
  /** A group of this size begins at once, since waiting for more gains nothing; none by default. */
  readySize?: number;
}

/**
 * Keeps a minimum interval between the beginnings of groups of work, so that each group is larger
 * and shares its round trip among more. After an idle interval the next one begins at once: a
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

  /** Resolves when the next group may begin; `waiting` is its size so far. */
  async begin(waiting = 0): Promise<void> {
    const ms = this.#nextAt - performance.now();
    if (ms > 0 && waiting < this.#readySize) await pause(ms);
    this.#nextAt = performance.now() + this.#everyMs;
  }
}
