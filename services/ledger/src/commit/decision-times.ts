import type { Clock } from '@countersign/kernel/clock';
import { failSafeCode } from '@countersign/kernel/fail-safe';
import type { CommitRequest } from '@countersign/proto/ledger';
import type { Logger } from '@countersign/runtime/log';
import { unavailable } from '../failure.js';

/**
 * Maximum difference of `decidedAt`, as it selects the day and month in which usage is counted.
 */
const clockToleranceMs = 30_000;
const remindEveryMs = 60_000;

/** Compares the times of decisions with the ledger's clock. */
export class DecisionTimes {
  readonly #clock: Clock;
  #remindAt = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Throws `unavailable` if the time differs too much, since another replica may accept it, and
   * warns at most once a minute: with a wrong clock every payment is declined. A fail-safe DECLINE
   * may be old: it reserves nothing and may have waited in a journal.
   */
  check(request: CommitRequest, decidedMs: number, log: Logger): void {
    const aheadMs = decidedMs - this.#clock();
    const late = request.decision === 'DECLINE' && request.reasonCodes.includes(failSafeCode);
    if (aheadMs <= clockToleranceMs && (late || aheadMs >= -clockToleranceMs)) return;
    this.#warn(aheadMs, log);
    throw unavailable(`decided_at is ${aheadMs} ms from the ledger's clock`);
  }

  #warn(aheadMs: number, log: Logger): void {
    const now = performance.now();
    if (now < this.#remindAt) return;
    this.#remindAt = now + remindEveryMs;
    log.warn({ aheadMs }, "a decision is refused: its time is too far from this machine's clock");
  }
}
