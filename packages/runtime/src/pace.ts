import { setTimeout as pause } from 'node:timers/promises';

export interface PaceOptions {
  everyMs: number;
  /** So many that nothing is gained by waiting for more; however many they are when not given. */
  enough?: number;
}

/**
 * Keeps the beginnings of shared work apart, so that more of it shares one round trip. The first
 * after a rest begins at once: who is alone does not wait for company that may never come.
 */
export class Pace {
  readonly #everyMs: number;
  readonly #enough: number;
  #nextAt = 0;

  constructor({ everyMs, enough = Number.POSITIVE_INFINITY }: PaceOptions) {
    this.#everyMs = everyMs;
    this.#enough = enough;
  }

  /** Resolves when the next piece may begin, and counts from there; `waiting` are in it so far. */
  async begin(waiting = 0): Promise<void> {
    const ms = this.#nextAt - performance.now();
    if (ms > 0 && waiting < this.#enough) await pause(ms);
    this.#nextAt = performance.now() + this.#everyMs;
  }
}
