import { setTimeout as pause } from 'node:timers/promises';
import { WakeSignal } from './wake-signal.js';

export interface LoopOptions {
  /** Does one turn of the work; resolves to the milliseconds until the next, 0 for at once. */
  turn: () => Promise<number>;
  /** Reports what a turn threw; returns the milliseconds until the next. */
  failed: (error: unknown) => number;
  /** For a signal that others wake before or beside the loop; else the loop has its own. */
  signal?: WakeSignal;
}

/**
 * Repeats a turn of work until it is stopped. A wake-up ends the pause between turns, also one that
 * comes during a turn; it does not end the pause after a failure, when trying sooner helps nobody.
 */
export class Loop {
  readonly #options: LoopOptions;
  readonly #signal: WakeSignal;
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;

  constructor(options: LoopOptions) {
    this.#options = options;
    this.#signal = options.signal ?? new WakeSignal();
    this.#running = this.#run();
  }

  wake(): void {
    this.#signal.wake();
  }

  /** Resolves when the turn in progress has ended. */
  stop(): Promise<void> {
    this.#stopping.abort();
    this.#signal.wake();
    return this.#running;
  }

  async #run(): Promise<void> {
    const { turn, failed } = this.#options;
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      this.#signal.clear();
      try {
        const pauseMs = await turn();
        if (pauseMs > 0 && !signal.aborted) await this.#signal.wait(pauseMs);
      } catch (error) {
        await pause(failed(error), undefined, { signal }).catch(() => {});
      }
    }
  }
}
