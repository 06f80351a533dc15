import type { Pool } from '@countersign/runtime/database';
import type { Logger } from '@countersign/runtime/log';
import { Loop } from '@countersign/runtime/loop';
import type { WakeSignal } from '@countersign/runtime/wake-signal';

interface DueLoopOptions {
  pool: Pool;
  signal: WakeSignal;
  log: Logger;
  /** Starts due work, as far as slots are free; resolves to how many. */
  claim: () => Promise<number>;
  /** Milliseconds until something is due, as `ms`; null if nothing is waiting. */
  nextDueSql: string;
  /** Log messages: while the database is unavailable, and when it is back. */
  whenAway: string;
  whenBack: string;
}

/** Polling finds work of crashed replicas, and work that is due because the clock changed. */
const pollMs = 1_000;
const pauseWhenAwayMs = 1_000;

/**
 * Starts work when it is due: immediately after a wake-up, at the next due time, and at least
 * every second. Started work runs concurrently, and the loop tracks it.
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
    const { claim, signal, log, whenAway, whenBack } = this.#options;
    this.#loop ??= new Loop({
      turn: async () => ((await claim()) > 0 ? 0 : this.#pauseMs()),
      failing: { log, failed: whenAway, over: whenBack },
      retryMs: pauseWhenAwayMs,
      signal,
    });
  }

  /** Starts no more work. Work in flight continues; see `finished`. */
  async stop(): Promise<void> {
    await this.#loop?.stop();
  }

  async finished(): Promise<void> {
    await Promise.all(this.#inFlight);
  }

  /** Tracks work, which must not reject; its end frees a slot and wakes the loop. */
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
