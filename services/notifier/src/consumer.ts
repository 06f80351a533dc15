import { systemClock } from '@countersign/kernel/clock';
import type { BusEvent } from '@countersign/kernel/event';
import { newId } from '@countersign/kernel/id';
import type { Pool, PoolClient } from '@countersign/runtime/database';
import { once } from '@countersign/runtime/inbox';
import type { Logger } from '@countersign/runtime/log';
import type { Trace } from '@countersign/runtime/trace';
import { addChallenge, challengeOf } from './codes/challenge.js';
import { type DerivedEvent, derive, nameFor } from './derive.js';
import { maxAttempts } from './retry.js';
import { addDeliveriesSql, hooksOfPrincipalSql } from './sql.js';

export interface ConsumerOptions {
  pool: Pool;
  log: Logger;
  /** Told after a commit that added deliveries. */
  ring: () => void;
  /** Told after a commit that added a one-time code to be sent. */
  ringCodes: () => void;
}

/**
 * Turns a bus event into deliveries for the webhooks of its Principal, and a challenge into a code
 * to be sent, once: these and the id in the inbox are one transaction, and only then is the message
 * acknowledged. Nobody else is asked on the way: identity being away holds back no webhook.
 */
export function consumer(
  options: ConsumerOptions,
): (event: BusEvent, trace: Trace) => Promise<void> {
  const { pool, log, ring, ringCodes } = options;
  return async (event, trace) => {
    const derived = deriveOrDrop(event, log);
    const { principalId } = event;
    // Most decisions cause nothing, and doing nothing twice needs no place in the inbox.
    if (derived.length === 0 || !principalId) return;
    const challenge = challengeOf(event);
    let added = 0;
    let opened = false;
    await once(pool, event, async (client) => {
      added = await addDeliveries(client, principalId, { derived, trace });
      opened = challenge !== null && (await addChallenge(client, challenge));
    });
    if (added > 0) ring();
    if (opened) ringCodes();
  };
}

/** Deriving is pure: what cannot be read now never can, and would only block what follows it. */
function deriveOrDrop(event: BusEvent, log: Logger): DerivedEvent[] {
  try {
    return derive(event);
  } catch (error) {
    log.error({ err: error, eventId: event.id, type: event.type }, 'event of an unknown shape');
    return [];
  }
}

interface HookRow {
  id: string;
  event_types: string[];
}

async function addDeliveries(
  client: PoolClient,
  principalId: string,
  { derived, trace }: { derived: readonly DerivedEvent[]; trace: Trace },
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
    new Date(systemClock()),
    trace && JSON.stringify(trace.carrier),
  ]);
  return deliveries.length;
}
