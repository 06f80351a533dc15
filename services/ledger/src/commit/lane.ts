import type { Pace } from '@countersign/runtime/pace';
import { unavailable } from '../failure.js';
import { takeBatch } from './duplicates.js';
import type { Pending } from './pending.js';

export interface LaneOptions {
  /** The most proposals of one batch. */
  batchLimit: number;
  /** The most that may wait; one more is refused at once. */
  queueLimit: number;
  now: () => number;
  /** Keeps batches apart while few proposals wait. */
  pace: Pick<Pace, 'begin'>;
  /** Settles every proposal of the batch; never rejects. */
  commit: (batch: Pending[]) => Promise<void>;
}

/**
 * A queue with one batch in flight; what arrives meanwhile forms the next. A commit of one proposal
 * costs the database nearly as much as one of ten, so batches also begin a few milliseconds apart:
 * an idle lane adds no delay, and a busy one shares each commit among all that waited for it.
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

  /** Queues a follower again after its leader's batch; it still counts from its first push. */
  requeue(pending: Pending): void {
    this.#waiting.unshift(pending);
    this.#running ??= this.#run();
  }

  /** Resolves when nothing waits and nothing is in flight. */
  async idle(): Promise<void> {
    while (this.#running !== null) await this.#running;
  }

  async #run(): Promise<void> {
    // What arrives in the same turn of the loop goes into the same batch.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#waiting.length > 0) {
      const { batchLimit, now, commit, pace } = this.#options;
      await pace.begin(this.#waiting.length);
      const { batch, count } = takeBatch(this.#waiting, batchLimit, now());
      this.#waiting = this.#waiting.slice(count);
      if (batch.length > 0) await commit(batch);
    }
    this.#running = null;
  }
}
