import { setTimeout as pause } from 'node:timers/promises';

/**
 * Keeps the beginnings of shared work apart, so that more of it shares one round trip. The first
 * after a rest begins at once: who is alone does not wait for company that may never come.
 */
export class Pace {
  readonly #everyMs: number;
  #nextAt = 0;

  constructor(everyMs: number) {
    this.#everyMs = everyMs;
  }

  /** Resolves when the next piece may begin, and counts from there. */
  async begin(): Promise<void> {
    const ms = this.#nextAt - performance.now();
    if (ms > 0) await pause(ms);
    this.now();
  }

  /** A piece begins now, whatever the time: enough has come together. */
  now(): void {
    this.#nextAt = performance.now() + this.#everyMs;
  }
}
