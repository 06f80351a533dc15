import type { Gauge, Metrics } from '@countersign/runtime/metrics';

interface AdmissionOptions {
  /** Milliseconds after which an authorization is answered fail-safe. */
  deadlineMs: number;
  metrics: Metrics;
  /** Monotonic time in milliseconds. */
  now?: () => number;
}

const windowMs = 250;
/** In flight at once. `initial` lets a short burst through; beyond `max` nobody is kept waiting. */
const limits = { initial: 512, min: 64, max: 1_024 } as const;
/** Parts of the deadline that even the fastest answer took: the limit shrinks, or does not grow. */
const shares = { shrink: 0.5, hold: 0.3 } as const;
const shrinkFactor = 0.6;
/** From the minimum to the initial limit in less than three seconds. */
const growthFactor = 1.2;

interface Window {
  startedAt: number;
  answers: number;
  fastestMs: number;
  maxInFlight: number;
}

/**
 * Adaptive concurrency limit for /authorize. It watches the fastest answer of each window: one slow
 * payment means nothing, but when even the fastest is slow there is a standing queue, and a longer
 * queue would only make every decision miss its deadline. Then the limit shrinks, until answers are
 * quick again, and the rest are told to retry. The same bounds what piles up during an outage.
 */
export class Admission {
  readonly #now: () => number;
  readonly #deadlineMs: number;
  readonly #inFlightGauge: Gauge;
  readonly #limited: Gauge;
  #inFlight = 0;
  #limit: number = limits.initial;
  #window: Window;

  constructor({ deadlineMs, metrics, now = () => performance.now() }: AdmissionOptions) {
    this.#now = now;
    this.#deadlineMs = deadlineMs;
    this.#inFlightGauge = metrics.gauge(
      'authorize_under_way',
      'authorizations that are being answered',
    );
    this.#limited = metrics.gauge('authorize_limit', 'most authorizations that may be under way');
    this.#limited.set(this.#limit);
    this.#window = this.#newWindow();
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** How many may be in flight at once, at this moment. */
  get limit(): number {
    return this.#limit;
  }

  /**
   * Takes a slot. Returns the start time, to be passed to `leave`; null where none is free.
   * `spentMs` is what `suspend` returned, for a request that comes back.
   */
  enter(spentMs = 0): number | null {
    this.#closeWindow();
    if (this.#inFlight >= this.#limit) return null;
    this.#inFlight += 1;
    this.#window.maxInFlight = Math.max(this.#window.maxInFlight, this.#inFlight);
    this.#inFlightGauge.set(this.#inFlight);
    return this.#now() - spentMs;
  }

  /** Gives the slot up without counting an answer. Returns the time spent, for `enter`. */
  suspend(startedAt: number): number {
    this.#inFlight -= 1;
    this.#inFlightGauge.set(this.#inFlight);
    return this.#now() - startedAt;
  }

  leave(startedAt: number): void {
    this.#inFlight -= 1;
    this.#inFlightGauge.set(this.#inFlight);
    this.#window.answers += 1;
    this.#window.fastestMs = Math.min(this.#window.fastestMs, this.#now() - startedAt);
    this.#closeWindow();
  }

  /** Adjusts the limit by the window that is over, if it is. */
  #closeWindow(): void {
    const { startedAt, answers } = this.#window;
    if (this.#now() - startedAt < windowMs) return;
    if (answers > 0) this.#limit = this.#nextLimit(this.#window);
    this.#limited.set(this.#limit);
    this.#window = this.#newWindow();
  }

  #nextLimit({ fastestMs, maxInFlight }: Window): number {
    if (fastestMs > this.#deadlineMs * shares.shrink) {
      return Math.max(limits.min, Math.floor(Math.min(this.#limit, maxInFlight) * shrinkFactor));
    }
    if (fastestMs > this.#deadlineMs * shares.hold) return this.#limit;
    return Math.min(limits.max, Math.ceil(this.#limit * growthFactor));
  }

  #newWindow(): Window {
    return {
      startedAt: this.#now(),
      answers: 0,
      fastestMs: Number.POSITIVE_INFINITY,
      maxInFlight: this.#inFlight,
    };
  }
}
