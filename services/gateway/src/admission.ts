import type { Gauge, Metrics } from '@countersign/runtime/metrics';

export interface AdmissionOptions {
  /** Longest an authorization takes before it is answered to be safe; milliseconds. */
  deadlineMs: number;
  metrics: Metrics;
  /** Milliseconds of any steady clock. */
  now?: () => number;
}

const windowMs = 250;
/** A burst of a few credentials at once is no overload; more than the most is not kept waiting. */
const limits = { first: 512, fewest: 64, most: 1_024 } as const;
/** Parts of the deadline that even the fastest answer of a window took. */
const shares = { standing: 0.5, short: 0.3 } as const;
const shrink = 0.6;
/** From the fewest to the first in less than three seconds. */
const growth = 1.2;

interface Window {
  startedAt: number;
  answers: number;
  fastestMs: number;
  mostInFlight: number;
}

/**
 * Keeps the service answering when more is asked of it than it can do. It watches the fastest
 * answers: one slow payment means nothing, but when all of them are slow there is a queue, and a
 * longer one would only turn late decisions into none. Then fewer are let in, until answers are
 * quick again, and the others are asked to come back. In an outage the same holds: what cannot be
 * decided for now is not collected without bound.
 */
export class Admission {
  readonly #now: () => number;
  readonly #deadlineMs: number;
  readonly #underWay: Gauge;
  readonly #limited: Gauge;
  #inFlight = 0;
  #limit: number = limits.first;
  #window: Window;

  constructor({ deadlineMs, metrics, now = () => performance.now() }: AdmissionOptions) {
    this.#now = now;
    this.#deadlineMs = deadlineMs;
    this.#underWay = metrics.gauge('authorize_under_way', 'authorizations that are being answered');
    this.#limited = metrics.gauge('authorize_limit', 'most authorizations that may be under way');
    this.#limited.set(this.#limit);
    this.#window = this.#newWindow();
  }

  get underWay(): number {
    return this.#inFlight;
  }

  /** How many may be under way at once, as it stands. */
  get limit(): number {
    return this.#limit;
  }

  /**
   * When it began, for `leave`; null where it must not begin. `spentMs` is of who stepped aside
   * and comes back.
   */
  enter(spentMs = 0): number | null {
    this.#close();
    if (this.#inFlight >= this.#limit) return null;
    this.#inFlight += 1;
    this.#window.mostInFlight = Math.max(this.#window.mostInFlight, this.#inFlight);
    this.#underWay.set(this.#inFlight);
    return this.#now() - spentMs;
  }

  /** Gives a place back for now, which is no answer; what was spent on it, for `enter`. */
  stepAside(startedAt: number): number {
    this.#inFlight -= 1;
    this.#underWay.set(this.#inFlight);
    return this.#now() - startedAt;
  }

  leave(startedAt: number): void {
    this.#inFlight -= 1;
    this.#underWay.set(this.#inFlight);
    this.#window.answers += 1;
    this.#window.fastestMs = Math.min(this.#window.fastestMs, this.#now() - startedAt);
    this.#close();
  }

  /** Draws the conclusion of a window that is over. */
  #close(): void {
    const { startedAt, answers } = this.#window;
    if (this.#now() - startedAt < windowMs) return;
    if (answers > 0) this.#limit = this.#nextLimit(this.#window);
    this.#limited.set(this.#limit);
    this.#window = this.#newWindow();
  }

  #nextLimit({ fastestMs, mostInFlight }: Window): number {
    if (fastestMs > this.#deadlineMs * shares.standing) {
      return Math.max(limits.fewest, Math.floor(Math.min(this.#limit, mostInFlight) * shrink));
    }
    if (fastestMs > this.#deadlineMs * shares.short) return this.#limit;
    return Math.min(limits.most, Math.ceil(this.#limit * growth));
  }

  #newWindow(): Window {
    return {
      startedAt: this.#now(),
      answers: 0,
      fastestMs: Number.POSITIVE_INFINITY,
      mostInFlight: this.#inFlight,
    };
  }
}
