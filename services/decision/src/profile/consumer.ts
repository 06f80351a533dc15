import { type BusEvent, packedTopic } from '@countersign/kernel/event';
import type { Pool } from '@countersign/runtime/database';
import { inGroups } from '@countersign/runtime/sharing/groups';
import type { StateCache } from '../state/cache.js';
import { inOrder } from './in-order.js';
import { agentOf, type ProfileEvent } from './learn.js';
import { Learner } from './learner.js';

/** Every decision teaches, so this includes what concerns nobody else. */
export const profileTopics = [
  'authorization.recorded',
  packedTopic,
  'authorization.amended',
  'outcome.recorded',
] as const;

const maxGroup = 256;
/** Profiles may lag by a second; a fifth of it already lets many agents share one write. */
const defaultIntervalMs = 200;
/**
 * Topics are delivered independently, so that a decline may arrive before the approval that came
 * before it. Then a score, which rises only slowly, would stay lower than the log implies.
 */
const defaultHoldMs = 150;

export interface ProfileOptions {
  pool: Pool;
  /** Updated after each commit, so that the next decision need not read the database. */
  cache: StateCache;
  /** Called after a commit that left events in the outbox. */
  onAnnounced: () => void;
  /** Minimum interval between groups, in milliseconds. */
  everyMs?: number;
  /** For how long an event waits for earlier ones, in milliseconds. */
  holdMs?: number;
}

/**
 * Updates agent profiles from events in the order of their times, in groups of one commit each.
 * The promise of an event resolves when the profile is committed, and rejects when it could not be.
 */
export function profileConsumer({
  onAnnounced,
  everyMs = defaultIntervalMs,
  holdMs = defaultHoldMs,
  ...store
}: ProfileOptions): (event: BusEvent) => Promise<void> {
  const learner = new Learner(store);
  const timeOf = ({ occurredAt }: ProfileEvent): number => Date.parse(occurredAt);
  const keyOf = (event: ProfileEvent): string => agentOf(event) ?? event.id;
  const inGroup = inGroups<ProfileEvent>({ maxGroup, everyMs }, async (events) => {
    if ((await learner.learn(events)) > 0) onAnnounced();
  });
  const learn = inOrder({ holdMs, timeOf, keyOf }, inGroup);
  return (event) => learn(event as ProfileEvent);
}
