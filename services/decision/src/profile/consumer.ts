import { type BusEvent, quietTopic } from '@countersign/kernel/event';
import type { Pool } from '@countersign/runtime/database';
import { inGroups } from '@countersign/runtime/groups';
import type { StateCache } from '../state-cache.js';
import type { ProfileEvent } from './learn.js';
import { Learner } from './learner.js';

/** Every decision teaches, so this includes what concerns nobody else. */
export const profileTopics = [
  'authorization.recorded',
  quietTopic,
  'authorization.amended',
  'outcome.recorded',
] as const;

const maxGroup = 256;
/** Profiles may lag by a second; a fifth of it already lets many agents share one write. */
const defaultIntervalMs = 200;

export interface ProfileConsumerOptions {
  pool: Pool;
  /** Updated after each commit, so that the next decision need not read the database. */
  cache: StateCache;
  /** Called after a commit that left events in the outbox. */
  onAnnounced: () => void;
  /** Minimum interval between groups, in milliseconds. */
  everyMs?: number;
}

/** Updates agent profiles from events, in groups of one commit each. */
export class ProfileConsumer {
  readonly #learn: (event: ProfileEvent) => Promise<void>;

  constructor({ onAnnounced, everyMs = defaultIntervalMs, ...store }: ProfileConsumerOptions) {
    const learner = new Learner(store);
    this.#learn = inGroups<ProfileEvent>({ maxGroup, everyMs }, async (events) => {
      if ((await learner.learn(events)) > 0) onAnnounced();
    });
  }

  /** Resolves when the profile is committed; rejects when it could not be. */
  handle(event: BusEvent): Promise<void> {
    return this.#learn(event as ProfileEvent);
  }
}
