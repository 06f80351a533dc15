import { inTransaction, type Pool, type PoolClient } from '@countersign/runtime/database';
import { unseen } from '@countersign/runtime/inbox';
import { addToOutbox } from '@countersign/runtime/outbox/add';
import type { StateCache } from '../state/cache.js';
import { announceAll, heldFromCache, lockAndRead, updateCache } from './held.js';
import { agentOf, type ProfileEvent } from './learn.js';
import { learnOne } from './learn-one.js';
import { write, writeAtOnce } from './written.js';

/**
 * Applies new events in one transaction: profiles, entries, and trust.changed. Repeated events are
 * recognised by their ids in the inbox; a decision, of which there is one per authorization, by
 * its entry, so that it needs no row in the inbox.
 */
export class Learner {
  readonly #pool: Pool;
  readonly #cache: StateCache;
  /** Whether the cache was current for the last group, so that reading can be skipped again. */
  #alone = false;

  constructor({ pool, cache }: { pool: Pool; cache: StateCache }) {
    this.#pool = pool;
    this.#cache = cache;
  }

  /** Returns how many events were added to the outbox. */
  async learn(events: readonly ProfileEvent[]): Promise<number> {
    const teaching = events.filter((event) => agentOf(event) !== null);
    if (teaching.length === 0) return 0;
    if (this.#alone && teaching.every(isDecision)) {
      if (await this.#learnAtOnce(teaching)) return 0;
      this.#alone = false;
    }
    return this.#learnInTurn(teaching);
  }

  /** False if the cache was outdated, an event is not new, or there is more to write. */
  async #learnAtOnce(events: readonly ProfileEvent[]): Promise<boolean> {
    const held = heldFromCache(this.#cache, events);
    for (const event of events) learnOne(held, event);
    const changesLevels = [...held.profiles.values()].some(({ steps }) => steps.length > 0);
    if (changesLevels || !(await writeAtOnce(this.#pool, held))) return false;
    updateCache(this.#cache, held);
    return true;
  }

  async #learnInTurn(events: readonly ProfileEvent[]): Promise<number> {
    const learnt = await inTransaction(this.#pool, async (client) => {
      const fresh = await withoutSeen(client, events);
      if (fresh.length === 0) return null;
      const held = await lockAndRead(client, this.#cache, fresh);
      for (const event of fresh) learnOne(held, event);
      const announcements = announceAll(held);
      await write(client, held);
      await addToOutbox(client, announcements);
      return { held, told: announcements.length };
    });
    if (!learnt) return 0;
    updateCache(this.#cache, learnt.held);
    this.#alone = learnt.held.corrected === 0;
    return learnt.told;
  }
}

function isDecision({ type }: ProfileEvent): boolean {
  return type === 'authorization.recorded';
}

async function withoutSeen(
  client: PoolClient,
  events: readonly ProfileEvent[],
): Promise<readonly ProfileEvent[]> {
  const later = events.filter((event) => !isDecision(event));
  if (later.length === 0) return events;
  const fresh = new Set((await unseen(client, later)).map(({ id }) => id));
  return events.filter((event) => isDecision(event) || fresh.delete(event.id));
}
