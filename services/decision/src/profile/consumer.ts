import type { BusEvent } from '@countersign/kernel/event';
import type { Pool } from '@countersign/runtime/database';
import { inGroups } from '@countersign/runtime/groups';
import type { KnownMemory } from '../known-memory.js';
import type { ProfileEvent } from './learn.js';
import { Learner } from './learner.js';

export const profileEventTypes = [
  'authorization.recorded',
  'authorization.amended',
  'outcome.recorded',
] as const;

const maxGroup = 256;
/** A profile may be a second behind; in a fifth of it what many agents did becomes one write. */
const usuallyMs = 200;

export interface ProfileConsumerOptions {
  pool: Pool;
  /** What was learnt is put here, so that the next decision need not read it. */
  memory: KnownMemory;
  /** Called when announcements wait for the bus. */
  told: () => void;
  /** How far apart groups begin, at least. */
  everyMs?: number;
}

/** Takes events as they come and commits what they teach in groups. */
export class ProfileConsumer {
  readonly #learn: (event: ProfileEvent) => Promise<void>;

  constructor({ told, everyMs = usuallyMs, ...store }: ProfileConsumerOptions) {
    const learner = new Learner(store);
    this.#learn = inGroups<ProfileEvent>({ maxGroup, everyMs }, async (events) => {
      if ((await learner.learn(events)) > 0) told();
    });
  }

  /** Resolves when what the event teaches is committed; rejects when it could not be. */
  handle(event: BusEvent): Promise<void> {
    return this.#learn(event as ProfileEvent);
  }
}
