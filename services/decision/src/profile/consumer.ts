import type { BusEvent } from '@countersign/kernel/event';
import type { Pool } from '@countersign/runtime/database';
import { onceEach } from '@countersign/runtime/inbox';
import type { ProfileEvent } from './learn.js';
import { learnAll } from './store.js';

export const profileEventTypes = [
  'authorization.recorded',
  'authorization.amended',
  'outcome.recorded',
] as const;

const maxBatch = 256;

interface Waiting {
  event: ProfileEvent;
  done: () => void;
  failed: (error: unknown) => void;
}

/**
 * Takes events as they come and commits them in groups: a group is what queued while the previous
 * one was being committed. The queue is as long as the bus lets events be unacknowledged.
 */
export class ProfileConsumer {
  readonly #pool: Pool;
  readonly #learnt: () => void;
  #queue: Waiting[] = [];
  #working = false;

  constructor(options: { pool: Pool; learnt: () => void }) {
    this.#pool = options.pool;
    this.#learnt = options.learnt;
  }

  /** Resolves when what the event teaches is committed; rejects when it could not be. */
  handle(event: BusEvent): Promise<void> {
    return new Promise((done, failed) => {
      this.#queue.push({ event: event as ProfileEvent, done, failed });
      void this.#work();
    });
  }

  async #work(): Promise<void> {
    if (this.#working) return;
    this.#working = true;
    while (this.#queue.length > 0) await this.#takeGroup(this.#queue.splice(0, maxBatch));
    this.#working = false;
  }

  async #takeGroup(group: Waiting[]): Promise<void> {
    try {
      await this.#commit(group);
    } catch (error) {
      if (group.length === 1) {
        group[0]?.failed(error);
        return;
      }
      // One event that cannot be learnt from must not hold up its neighbours.
      for (const waiting of group) await this.#takeGroup([waiting]);
    }
  }

  async #commit(group: Waiting[]): Promise<void> {
    const events = group.map(({ event }) => event);
    await onceEach(this.#pool, events, learnAll);
    for (const { done } of group) done();
    this.#learnt();
  }
}
