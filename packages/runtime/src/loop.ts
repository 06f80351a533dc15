import { setTimeout as pause } from 'node:timers/promises';
import { RepeatedFailure, type RepeatedFailureOptions } from './repeated-failure.js';
import { WakeSignal } from './wake-signal.js';

/**
 * Does one turn of work; resolves to the milliseconds until the next one, 0 for immediately. A turn
 * of many parts begins no other once `stopping` is aborted, since a process ends within seconds.
 */
type Turn<T> = (stopping: AbortSignal) => Promise<T>;

/** Each error of a turn is handled on its own. */
interface Handled {
  turn: Turn<number>;
  /** Reports the error; returns the milliseconds until the next turn. */
  failed: (error: unknown) => number;
}

/** Errors of turns are reported as one failure that goes on. */
interface Reported {
  /** Null like `retryMs` after a turn with nothing to do, which says nothing of the failure. */
  turn: Turn<number | null>;
  failing: RepeatedFailureOptions;
  /** Until the turn after one that failed. */
  retryMs: number;
}

type LoopOptions = (Handled | Reported) & {
  /** A signal that others also set before or outside the loop; by default the loop has its own. */
  signal?: WakeSignal;
};

/**
 * Repeats a turn of work until it is stopped. A wake-up ends the pause between turns, and one
 * during a turn skips the next pause. It does not shorten the pause after a failure, since an
 * earlier retry would not help.
 */
export class Loop {
  readonly #options: Handled;
  readonly #signal: WakeSignal;
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;

  constructor(options: LoopOptions) {
    this.#options = 'failed' in options ? options : reporting(options);
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

function reporting({ turn, failing, retryMs }: Reported): Handled {
  const failure = new RepeatedFailure(failing);
  return {
    turn: async (stopping) => {
      const pauseMs = await turn(stopping);
      // One that was told to stop may have ended before what fails.
      if (pauseMs !== null && !stopping.aborted) failure.succeeded();
      return pauseMs ?? retryMs;
    },
    failed: (error) => {
      failure.failed(error);
      return retryMs;
    },
  };
}
