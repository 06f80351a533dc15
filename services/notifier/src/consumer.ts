import type { BusEvent } from '@countersign/kernel/event';
import { newId } from '@countersign/kernel/id';
import type { Pool, PoolClient } from '@countersign/runtime/database';
import { onceEach } from '@countersign/runtime/inbox';
import type { Logger } from '@countersign/runtime/log';
import { inGroups } from '@countersign/runtime/sharing/groups';
import type { Trace } from '@countersign/runtime/trace';
import { addChallenge, challengeOf } from './codes/challenge.js';
import { type DerivedEvent, derive, nameFor } from './derive.js';
import { maxAttempts } from './retry.js';
import { addDeliveriesSql, hooksOfPrincipalSql } from './sql.js';

interface ConsumerOptions {
  pool: Pool;
  log: Logger;
  /** Called after a commit that added deliveries. */
  wakeDispatcher: () => void;
  /** Called after a commit that added a one-time code to be sent. */
  wakeCourier: () => void;
}

/** An event with an effect here, and that effect. */
interface Derived {
  event: BusEvent;
  principalId: string;
  derived: readonly DerivedEvent[];
  trace: Trace;
}

const maxGroup = 64;

/**
 * Turns bus events into deliveries to the webhooks of their Principals, and challenges into
 * one-time codes, exactly once: both are committed together with the event ids in the inbox before
 * a message is acknowledged. Events that arrive together share a transaction, so that a backlog
 * does not exhaust the connections. No other service is called, so webhooks are delivered while
 * identity is unavailable.
 */
export function consumer(
  options: ConsumerOptions,
): (event: BusEvent, trace: Trace) => Promise<void> {
  const { pool, log, wakeDispatcher, wakeCourier } = options;
  const take = inGroups<Derived>({ maxGroup }, async (group) => {
    const { added, opened } = await takeGroup(pool, group);
    if (added > 0) wakeDispatcher();
    if (opened > 0) wakeCourier();
  });
  return async (event, trace) => {
    const derived = deriveOrDrop(event, log);
    const { principalId } = event;
    // Most events have no effect here and need no entry in the inbox.
    if (derived.length === 0 || !principalId) return;
    await take({ event, principalId, derived, trace });
  };
}

async function takeGroup(pool: Pool, group: readonly Derived[]) {
  const done = { added: 0, opened: 0 };
  const events = group.map(({ event }) => event);
  await onceEach(pool, events, async (client, fresh) => {
    const unheard = new Set(fresh.map(({ id }) => id));
    for (const heard of group) {
      if (!unheard.delete(heard.event.id)) continue;
      done.added += await addDeliveries(client, heard);
      const challenge = challengeOf(heard.event);
      if (challenge && (await addChallenge(client, challenge))) done.opened += 1;
    }
  });
  return done;
}

/**
 * Deriving is deterministic, so an event that fails once would always fail and block those behind
 * it. It is logged and dropped.
 */
function deriveOrDrop(event: BusEvent, log: Logger): DerivedEvent[] {
  try {
    return derive(event);
  } catch (error) {
    log.error(
      { err: error, eventId: event.id, type: event.type },
      'dropped an event of unknown shape',
    );
    return [];
  }
}

interface HookRow {
  id: string;
  event_types: string[];
}

async function addDeliveries(
  client: PoolClient,
  { principalId, derived, trace }: Derived,
): Promise<number> {
  const { rows: hooks } = await client.query<HookRow>(hooksOfPrincipalSql, [principalId]);
  const deliveries = hooks.flatMap((hook) =>
    derived.flatMap((event) => {
      const name = nameFor(event.type, hook.event_types);
      return name ? [{ webhookId: hook.id, event, name }] : [];
    }),
  );
  if (deliveries.length === 0) return 0;
  await client.query(addDeliveriesSql, [
    deliveries.map(() => newId('delivery')),
    deliveries.map(({ webhookId }) => webhookId),
    deliveries.map(({ event }) => event.id),
    deliveries.map(({ name }) => name),
    deliveries.map(({ event }) => JSON.stringify(event.data)),
    maxAttempts,
    trace && JSON.stringify(trace.carrier),
  ]);
  return deliveries.length;
}
