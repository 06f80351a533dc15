import { randomBytes } from 'node:crypto';
import { attempt, type DeliverParts, type Job } from './deliver.js';
import { DueLoop } from './due-loop.js';
import { type RecordParts, recordAttempt } from './record.js';
import type { Signal } from './signal.js';
import { type SlotLimits, Slots } from './slots.js';
import { claimSql, dropSql, nextDueSql, releaseSql } from './sql.js';

export interface DispatcherOptions extends DeliverParts, RecordParts {
  signal: Signal;
  limits: SlotLimits;
  /** How long a claim holds: longer than an attempt may take, and what a crash costs. */
  leaseMs: number;
}

const claimBatch = 64;
/** Slower than this is not a good answer: the endpoint gets one place at a time. */
const slowMs = 5_000;
/** Attempts under way at a shutdown may take this much longer. */
const finishMs = 4_000;

/**
 * Sends what is due. All state is in the database: a replica that dies loses its leases after their
 * time, and whoever is alive takes over.
 */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #slots: Slots;
  readonly #loop: DueLoop;
  #cut = false;

  constructor(options: DispatcherOptions) {
    this.#options = options;
    this.#slots = new Slots(options.limits);
    this.#loop = new DueLoop({
      ...options,
      claim: () => this.#claim(),
      nextDueSql,
      whenAway: 'deliveries wait for the database',
    });
  }

  start(): void {
    this.#loop.start();
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
    const cut = setTimeout(() => {
      this.#cut = true;
      void this.#options.poster.close();
    }, finishMs);
    await this.#loop.finished();
    clearTimeout(cut);
  }

  /** Starts what is due and has a place; how many. */
  async #claim(): Promise<number> {
    const { free, webhookIds, each, others } = this.#slots.openings();
    if (free <= 0) return 0;
    const { rows } = await this.#options.pool.query<Job>({
      name: 'claim',
      text: claimSql,
      values: [
        webhookIds,
        each,
        others,
        Math.min(free, claimBatch),
        randomBytes(9).toString('base64url'),
        this.#options.leaseMs,
      ],
    });
    for (const job of rows) this.#loop.track(this.#begin(job));
    return rows.length;
  }

  async #begin(job: Job): Promise<void> {
    this.#slots.take(job.webhook_id);
    this.#showUnderWay();
    let answeredWell = false;
    try {
      answeredWell = await this.#carryOut(job);
    } catch (error) {
      // The lease ends and it is sent again: twice rather than never.
      this.#options.log.error({ err: error, deliveryId: job.id }, 'delivery not recorded');
    }
    this.#slots.give(job.webhook_id, answeredWell);
    this.#showUnderWay();
  }

  /** Resolves to whether the endpoint answered well and may have more places. */
  async #carryOut(job: Job): Promise<boolean> {
    const { pool } = this.#options;
    if (!job.active) {
      await pool.query(dropSql, [job.webhook_id, job.lease]);
      return false;
    }
    const result = await attempt(job, this.#options);
    if (this.#cut && result.statusCode === null) {
      await pool.query(releaseSql, [job.id, job.lease]);
      return false;
    }
    const outcome = await recordAttempt(job, result, this.#options);
    return outcome === 'delivered' && result.durationMs < slowMs;
  }

  #showUnderWay(): void {
    const { metrics, environment } = this.#options;
    metrics.underWay.set({ environment }, this.#slots.taken);
  }
}
