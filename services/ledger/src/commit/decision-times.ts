import type { Clock } from '@countersign/kernel/clock';
import { failSafeCode } from '@countersign/kernel/fail-safe';
import type { CommitRequest } from '@countersign/proto/ledger';
import type { Call } from '@countersign/runtime/grpc-types';
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
  check(request: CommitRequest, decidedMs: number, call: Pick<Call, 'log'>): void {
    const aheadMs = decidedMs - this.#clock();
    const late = request.decision === 'DECLINE' && request.reasonCodes.includes(failSafeCode);
    if (aheadMs <= clockToleranceMs && (late || aheadMs >= -clockToleranceMs)) return;
    this.#warn(aheadMs, call);
    throw unavailable(`decided_at is ${aheadMs} ms from the ledger's clock`);
  }

  /** The logger of a call is created when it is read, which no decision in time should pay for. */
  #warn(aheadMs: number, call: Pick<Call, 'log'>): void {
    const now = performance.now();
    if (now < this.#remindAt) return;
    this.#remindAt = now + remindEveryMs;
    call.log.warn(
      { aheadMs },
      "a decision is refused: its time is too far from this machine's clock",
    );
  }
}
