import type { BusEvent } from '@countersign/kernel/event';
import { inTransaction, type Pool, type PoolClient } from '@countersign/runtime/database';
import { inGroups } from '@countersign/runtime/groups';
import { unseen } from '@countersign/runtime/inbox';
import { addToOutbox } from '@countersign/runtime/outbox';
import type { Concern } from './concern.js';
import { type Held, hear } from './hear.js';
import { hold, write } from './held.js';
import type { TriageMetrics } from './metrics.js';

const maxGroup = 64;
/** Cases are heard of within a second. */
const usuallyMs = 200;

export interface TriageOptions {
  pool: Pool;
  counted: TriageMetrics;
  /** Called when announcements wait for the bus. */
  told: () => void;
  /** How far apart groups begin, at least. */
  everyMs?: number;
}

/**
 * Opens and resolves cases and watches agents, once for each event: what follows from it, what is
 * told of that, and its id in the inbox are one transaction.
 */
export class TriageConsumer {
  /** Resolves when what follows from the event is committed; rejects when it could not be. */
  readonly handle: (concern: Concern) => Promise<void>;

  constructor({ pool, counted, told, everyMs = usuallyMs }: TriageOptions) {
    this.handle = inGroups<Concern>({ maxGroup, everyMs }, async (concerns) => {
      const held = await inTransaction(pool, (client) => triage(client, concerns));
      if (held === null) return;
      for (const { type } of held.announcements) counted.announced(type);
      if (held.announcements.length > 0) told();
    });
  }
}

async function triage(client: PoolClient, concerns: readonly Concern[]): Promise<Held | null> {
  const fresh = new Set((await unseen(client, concerns.map(inboxEvent))).map(({ id }) => id));
  const unheard = concerns.filter((concern) => fresh.delete(inboxEvent(concern).id));
  if (unheard.length === 0) return null;
  const held = await hold(client, unheard);
  for (const concern of unheard) hear(held, concern);
  await write(client, held);
  await addToOutbox(client, held.announcements);
  return held;
}

/** Learning remembers the same events in the same inbox. */
function inboxEvent({ event }: Concern): BusEvent {
  return { ...event, id: `${event.id}.triage` };
}
