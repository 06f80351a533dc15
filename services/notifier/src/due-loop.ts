import type { Pool } from '@countersign/runtime/database';
import type { Logger } from '@countersign/runtime/log';
import { Loop } from '@countersign/runtime/loop';
import type { WakeSignal } from '@countersign/runtime/wake-signal';

export interface DueLoopOptions {
  pool: Pool;
  signal: WakeSignal;
  log: Logger;
  /** Starts what is due, as far as there are free slots; resolves to how many. */
  claim: () => Promise<number>;
  /** Milliseconds until something is due, as `ms`; null where nothing waits. */
  nextDueSql: string;
  /** The log message while the database is away. */
  whenAway: string;
}

/** Finds what a crashed replica left behind, and what is due after the clock was moved. */
const pollMs = 1_000;
const pauseWhenAwayMs = 1_000;

/**
 * Starts work when it is due: at once after a wake-up, else when the next due time has come, and at
 * the latest after a second. What is started runs beside the loop, which keeps count of it.
 */
export class DueLoop {
  readonly #options: DueLoopOptions;
  readonly #inFlight = new Set<Promise<void>>();
  #loop: Loop | null = null;

  constructor(options: DueLoopOptions) {
    this.#options = options;
  }

  get inFlight(): number {
    return this.#inFlight.size;
  }

  start(): void {
    const { claim, signal, log, whenAway } = this.#options;
    this.#loop ??= new Loop({
      turn: async () => ((await claim()) > 0 ? 0 : this.#pauseMs()),
      failed: (error) => {
        log.warn({ err: error }, whenAway);
        return pauseWhenAwayMs;
      },
      signal,
    });
  }

  /** Starts nothing more. What has been started goes on; see `finished`. */
  async stop(): Promise<void> {
    await this.#loop?.stop();
  }

  async finished(): Promise<void> {
    await Promise.all(this.#inFlight);
  }

  /** Keeps count of work, which must not reject; its end frees a slot and wakes the loop. */
  track(work: Promise<void>): void {
    const tracked = work.then(() => {
      this.#inFlight.delete(tracked);
      this.#options.signal.wake();
    });
    this.#inFlight.add(tracked);
  }

  async #pauseMs(): Promise<number> {
    const { pool, nextDueSql } = this.#options;
    const { rows } = await pool.query<{ ms: number | null }>(nextDueSql);
    return Math.max(1, Math.min(pollMs, rows[0]?.ms ?? pollMs));
  }
}
