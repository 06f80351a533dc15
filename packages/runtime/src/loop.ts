import { setTimeout as pause } from 'node:timers/promises';
import { WakeSignal } from './wake-signal.js';

export interface LoopOptions {
  /**
   * Does one turn of work; resolves to the milliseconds until the next one, 0 for immediately. A
   * turn of many parts begins no other once `stopping` is aborted, since a process ends within
   * seconds.
   */
  turn: (stopping: AbortSignal) => Promise<number>;
  /** Reports the error of a turn; returns the milliseconds until the next one. */
  failed: (error: unknown) => number;
  /** A signal that others also set before or outside the loop; by default the loop has its own. */
  signal?: WakeSignal;
}

/**
 * Repeats a turn of work until it is stopped. A wake-up ends the pause between turns, and one
 * during a turn skips the next pause. It does not shorten the pause after a failure, since an
 * earlier retry would not help.
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

  /** Resolves when the current turn has ended. */
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
        const pauseMs = await turn(signal);
        if (pauseMs > 0 && !signal.aborted) await this.#signal.wait(pauseMs);
      } catch (error) {
        // Rejects when a stop ends the pause, which the condition of the loop then sees.
        await pause(failed(error), undefined, { signal }).catch(() => {});
      }
    }
  }
}
