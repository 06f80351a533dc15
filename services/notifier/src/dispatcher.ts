import { randomBytes } from 'node:crypto';
import { attempt, type DeliverParts, type Job } from './deliver.js';
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
/** What other replicas left behind, and clocks that moved, are found after this time. */
const pollMs = 1_000;
const pauseWhenAwayMs = 1_000;
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
  readonly #underWay = new Set<Promise<void>>();
  #stopping = false;
  #cut = false;
  #running: Promise<void> | null = null;

  constructor(options: DispatcherOptions) {
    this.#options = options;
    this.#slots = new Slots(options.limits);
  }

  start(): void {
    this.#running ??= this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    this.#options.signal.ring();
    await this.#running;
    const cut = setTimeout(() => {
      this.#cut = true;
      void this.#options.poster.close();
    }, finishMs);
    await Promise.all(this.#underWay);
    clearTimeout(cut);
  }

  async #run(): Promise<void> {
    const { signal, log } = this.#options;
    while (!this.#stopping) {
      try {
        const started = await this.#claim();
        if (started === 0) await signal.wait(await this.#pauseMs());
      } catch (error) {
        log.warn({ err: error }, 'deliveries wait for the database');
        await new Promise((resolve) => setTimeout(resolve, pauseWhenAwayMs));
      }
    }
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
    for (const job of rows) this.#begin(job);
    return rows.length;
  }

  #begin(job: Job): void {
    this.#slots.take(job.webhook_id);
    this.#showUnderWay();
    const work = this.#carryOut(job)
      .catch((error: unknown) => {
        // The lease ends and it is sent again: twice rather than never.
        this.#options.log.error({ err: error, deliveryId: job.id }, 'delivery not recorded');
        return false;
      })
      .then((answeredWell) => {
        this.#slots.give(job.webhook_id, answeredWell);
        this.#showUnderWay();
        this.#underWay.delete(work);
        this.#options.signal.ring();
      });
    this.#underWay.add(work);
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

  /** Until something is due, or until the next look for what nobody rang for. */
  async #pauseMs(): Promise<number> {
    const { rows } = await this.#options.pool.query<{ ms: number | null }>(nextDueSql);
    return Math.max(1, Math.min(pollMs, rows[0]?.ms ?? pollMs));
  }
}
