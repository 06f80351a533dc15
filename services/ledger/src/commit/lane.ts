import type { Pace } from '@countersign/runtime/sharing/pace';
import { unavailable } from '../failure.js';
import { takeBatch } from './duplicates.js';
import type { Pending } from './pending.js';

interface LaneOptions {
  /** Maximum number of proposals in a batch. */
  batchLimit: number;
  /** Maximum number of queued proposals; further ones are rejected. */
  queueLimit: number;
  now: () => number;
  /** Delays batches while few proposals are queued. */
  pace: Pick<Pace, 'begin'>;
  /** Settles every proposal of the batch; never rejects. */
  commit: (batch: Pending[]) => Promise<void>;
}

/**
 * A queue with one batch in flight; proposals that arrive meanwhile form the next. Committing one
 * proposal costs the database nearly as much as committing ten, so after a batch of several the
 * next waits a few milliseconds for company: a busy lane shares each commit, and proposals that
 * come one by one are not delayed.
 */
export class Lane {
  readonly #options: LaneOptions;
  #waiting: Pending[] = [];
  #running: Promise<void> | null = null;

  constructor(options: LaneOptions) {
    this.#options = options;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  push(pending: Pending): void {
    if (this.#waiting.length >= this.#options.queueLimit) {
      pending.fail(unavailable('the commit queue is full'));
      return;
    }
    this.#waiting.push(pending);
    this.#running ??= this.#run();
  }

  /**
   * Queues a follower again at the front, regardless of the limit, as it was admitted before. Only
   * while the batch of its leader is in flight, after which the lane goes on.
   */
  requeue(pending: Pending): void {
    this.#waiting.unshift(pending);
  }

  /** Resolves when no proposal is queued or in flight. */
  async idle(): Promise<void> {
    while (this.#running !== null) await this.#running;
  }

  async #run(): Promise<void> {
    // Proposals that arrive in the same turn of the event loop share a batch.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#waiting.length > 0) {
      const { batchLimit, now, commit, pace } = this.#options;
      await pace.begin(() => this.#waiting.length);
      const { batch, count } = takeBatch(this.#waiting, batchLimit, now());
      this.#waiting = this.#waiting.slice(count);
      if (batch.length > 0) await commit(batch);
    }
    this.#running = null;
  }
}
