import type { Pool } from '@countersign/runtime/database';
import type { Logger } from '@countersign/runtime/log';
import type { Signal } from './signal.js';

export interface DueLoopOptions {
  pool: Pool;
  signal: Signal;
  log: Logger;
  /** Starts what is due and has a place; resolves to how many. */
  claim: () => Promise<number>;
  /** Milliseconds until something is due, as `ms`; null where nothing waits. */
  nextDueSql: string;
  /** What a line in the log says while the database is away. */
  whenAway: string;
}

/** What other replicas left behind, and clocks that moved, are found after this time. */
const pollMs = 1_000;
const pauseWhenAwayMs = 1_000;

/**
 * Starts work when it is due: at once when it is rung for, at its time when that is known, and by
 * looking again now and then. What is started runs beside the loop, which keeps count of it.
 */
export class DueLoop {
  readonly #options: DueLoopOptions;
  readonly #underWay = new Set<Promise<void>>();
  #stopping = false;
  #running: Promise<void> | null = null;

  constructor(options: DueLoopOptions) {
    this.#options = options;
  }

  get underWay(): number {
    return this.#underWay.size;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Starts nothing more. What is under way goes on; see `finished`. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#options.signal.ring();
    await this.#running;
  }

  async finished(): Promise<void> {
    await Promise.all(this.#underWay);
  }

  /** Counts work that never rejects; when it ends there is a place, so the loop looks again. */
  track(work: Promise<void>): void {
    const tracked = work.then(() => {
      this.#underWay.delete(tracked);
      this.#options.signal.ring();
    });
    this.#underWay.add(tracked);
  }

  async #run(): Promise<void> {
    const { claim, signal, log, whenAway } = this.#options;
    while (!this.#stopping) {
      try {
        const started = await claim();
        if (started === 0) await signal.wait(await this.#pauseMs());
      } catch (error) {
        log.warn({ err: error }, whenAway);
        await new Promise((resolve) => setTimeout(resolve, pauseWhenAwayMs));
      }
    }
  }

  async #pauseMs(): Promise<number> {
    const { pool, nextDueSql } = this.#options;
    const { rows } = await pool.query<{ ms: number | null }>(nextDueSql);
    return Math.max(1, Math.min(pollMs, rows[0]?.ms ?? pollMs));
  }
}
