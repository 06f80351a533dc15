import type { Logger } from './log.js';

export interface RepeatedFailureOptions {
  log: Logger;
  /** Fields of both lines. */
  facts?: object;
  failed: string;
  over: string;
}

const remindEveryMs = 60_000;

/**
 * Reports work that is tried again and again: that it fails and why, at most once a minute, and
 * that it is over.
 */
export class RepeatedFailure {
  readonly #options: RepeatedFailureOptions;
  #remindAt = 0;
  #goesOn = false;

  constructor(options: RepeatedFailureOptions) {
    this.#options = options;
  }

  failed(error: unknown): void {
    const now = performance.now();
    if (now < this.#remindAt) return;
    this.#remindAt = now + remindEveryMs;
    this.#goesOn = true;
    const { log, facts, failed } = this.#options;
    log.warn({ ...facts, err: error }, failed);
  }

  succeeded(): void {
    if (!this.#goesOn) return;
    this.#goesOn = false;
    const { log, facts, over } = this.#options;
    log.info(facts, over);
  }
}
