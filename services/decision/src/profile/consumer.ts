import type { BusEvent } from '@countersign/kernel/event';
import type { Pool } from '@countersign/runtime/database';
import { inGroups } from '@countersign/runtime/groups';
import { onceEach } from '@countersign/runtime/inbox';
import type { ProfileEvent } from './learn.js';
import { learnAll } from './store.js';

export const profileEventTypes = [
  'authorization.recorded',
  'authorization.amended',
  'outcome.recorded',
] as const;

const maxGroup = 256;
/** A profile may be a second behind; in a tenth of it a busy agent's events become one write. */
const everyMs = 100;

/** Takes events as they come and commits what they teach in groups. */
export class ProfileConsumer {
  readonly #learn: (event: ProfileEvent) => Promise<void>;

  constructor({ pool, learnt }: { pool: Pool; learnt: () => void }) {
    this.#learn = inGroups<ProfileEvent>({ maxGroup, everyMs }, async (events) => {
      await onceEach(pool, events, learnAll);
      learnt();
    });
  }

  /** Resolves when what the event teaches is committed; rejects when it could not be. */
  handle(event: BusEvent): Promise<void> {
    return this.#learn(event as ProfileEvent);
  }
}
