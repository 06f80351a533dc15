import type { Gauge, Metrics } from '@countersign/runtime/metrics';

export interface AdmissionOptions {
  /** Longest an authorization takes before it is answered to be safe; milliseconds. */
  deadlineMs: number;
  metrics: Metrics;
  /** Milliseconds of any steady clock. */
  now?: () => number;
}

const windowMs = 250;
/** Fewer answers in a window say nothing about how fast answers come. */
const fewestAnswers = 8;
/**
 * Parts of the deadline. Where even the fastest of a window took longer than the first, a queue
 * stands that does not go away by itself; what a capped service keeps waiting, long enough to fill
 * batches; below the last the queue is gone; beyond the very last an answer tells of an outage.
 */
const shares = { standing: 0.5, target: 0.3, gone: 0.2, outage: 0.75 } as const;
const smallestCap = 32;

interface Window {
  startedAt: number;
  answers: number;
  fastestMs: number;
}

/**
 * Keeps the service answering when more is asked of it than it can do. It watches the fastest
 * answers: one slow payment means nothing, but when all of them are slow there is a queue, and a
 * longer one would only turn late decisions into none. Then as many are let in as are answered in
 * the target time, by the rate that was seen, and the others are asked to come back.
 */
export class Admission {
  readonly #now: () => number;
  readonly #deadlineMs: number;
  readonly #underWay: Gauge;
  #inFlight = 0;
  #cap = Number.POSITIVE_INFINITY;
  #window: Window;

  constructor({ deadlineMs, metrics, now = () => performance.now() }: AdmissionOptions) {
    this.#now = now;
    this.#deadlineMs = deadlineMs;
    this.#underWay = metrics.gauge('authorize_under_way', 'authorizations that are being answered');
    this.#window = this.#newWindow();
  }

  /** When it began, for `leave`; null where it must not begin. */
  enter(): number | null {
    this.#close();
    if (this.#inFlight >= this.#cap) return null;
    this.#inFlight += 1;
    this.#underWay.set(this.#inFlight);
    return this.#now();
  }

  leave(startedAt: number): void {
    this.#inFlight -= 1;
    this.#underWay.set(this.#inFlight);
    const tookMs = this.#now() - startedAt;
    this.#close();
    if (tookMs > this.#deadlineMs * shares.outage) return;
    this.#window.answers += 1;
    this.#window.fastestMs = Math.min(this.#window.fastestMs, tookMs);
  }

  /** Draws the conclusion of a window that is over. */
  #close(): void {
    const { startedAt, answers, fastestMs } = this.#window;
    const elapsedMs = this.#now() - startedAt;
    if (elapsedMs < windowMs) return;
    const slow = Number.isFinite(this.#cap) ? shares.gone : shares.standing;
    const queued = answers >= fewestAnswers && fastestMs > this.#deadlineMs * slow;
    const targetMs = this.#deadlineMs * shares.target;
    this.#cap = queued
      ? Math.max(smallestCap, Math.ceil((answers / elapsedMs) * targetMs))
      : Number.POSITIVE_INFINITY;
    this.#window = this.#newWindow();
  }

  #newWindow(): Window {
    return { startedAt: this.#now(), answers: 0, fastestMs: Number.POSITIVE_INFINITY };
  }
}
