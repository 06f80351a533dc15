import { randomBytes } from 'node:crypto';
import type { WakeSignal } from '@countersign/runtime/wake-signal';
import { attemptSpan, endAttempt } from './attempt-span.js';
import { attempt, type DeliverParts, type Job } from './deliver.js';
import { DueLoop } from './due-loop.js';
import { type RecordParts, recordAttempt } from './record.js';
import { type Answered, type Openings, type SlotLimits, Slots } from './slots.js';
import { claimSql, dropSql, nextDueSql, releaseSql } from './sql.js';

interface DispatcherOptions extends DeliverParts, RecordParts {
  signal: WakeSignal;
  limits: SlotLimits;
  /**
   * Duration of a claim. Longer than an attempt may take; after a crash it delays the next
   * attempt.
   */
  leaseMs: number;
}

const claimBatch = 64;
/**
 * An endpoint that responds more slowly is not proven; see Slots. A receiver that responds before
 * doing its work takes milliseconds.
 */
const slowMs = 1_000;
/** Grace period for attempts in flight at a shutdown. */
const finishMs = 4_000;

/**
 * Sends due deliveries. All state is in the database: the leases of a crashed replica expire, and
 * the other replicas take over its deliveries.
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
      whenBack: 'deliveries no longer wait for the database',
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

  /** Starts due deliveries, as far as slots are free. Returns how many. */
  async #claim(): Promise<number> {
    const openings = this.#slots.openings();
    if (openings.free <= 0) return 0;
    const { rows } = await this.#options.pool.query<Job>({
      name: 'claim',
      text: claimSql,
      values: claimValues(openings, { limit: claimBatch, leaseMs: this.#options.leaseMs }),
    });
    for (const job of rows) this.#loop.track(this.#begin(job));
    return rows.length;
  }

  async #begin(job: Job): Promise<void> {
    const holder = { webhookId: job.webhook_id, principalId: job.principal_id };
    this.#slots.take(holder);
    this.#showInFlight();
    let answered: Answered = 'badly';
    try {
      answered = await this.#carryOut(job);
    } catch (error) {
      // The delivery is repeated once its lease has expired: twice rather than never.
      this.#options.log.error(
        { err: error, deliveryId: job.id },
        'result of a delivery was not stored',
      );
    }
    this.#slots.give(holder, answered);
    this.#showInFlight();
  }

  /** Resolves to how the endpoint responded, which determines its number of slots. */
  async #carryOut(job: Job): Promise<Answered> {
    const { pool } = this.#options;
    if (!job.active) {
      await pool.query(dropSql, [job.webhook_id, job.lease]);
      return 'badly';
    }
    const trace = attemptSpan(job, this.#options);
    const result = await attempt(job, this.#options);
    if (this.#cut && result.statusCode === null) {
      await pool.query(releaseSql, [job.id, job.lease]);
      return 'badly';
    }
    if (trace) endAttempt(trace, result);
    const outcome = await recordAttempt(job, result, this.#options);
    if (outcome !== 'delivered') return 'badly';
    return result.durationMs <= slowMs ? 'promptly' : 'slowly';
  }

  #showInFlight(): void {
    const { metrics, environment } = this.#options;
    metrics.inFlight.set({ environment }, this.#slots.taken);
  }
}

/** The parameters of `claimSql`, in order. */
export function claimValues(
  openings: Openings,
  { limit, leaseMs }: { limit: number; leaseMs: number },
): unknown[] {
  const { endpoints, principals, share, unprovenShare, unprovenFree, free } = openings;
  return [
    endpoints.ids,
    endpoints.free,
    endpoints.proven,
    endpoints.lastAnswer,
    principals.ids,
    principals.held,
    principals.unproven,
    share,
    unprovenShare,
    unprovenFree,
    Math.min(free, limit),
    randomBytes(9).toString('base64url'),
    leaseMs,
  ];
}
