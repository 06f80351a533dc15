import type { Environment } from '@countersign/kernel/environment';
import type { BusEventType } from '@countersign/kernel/event';
import type { Bus } from './bus.js';
import { inTransaction, type Pool, type PoolClient } from './database.js';
import type { Logger } from './log.js';
import { OutboxRecovery } from './outbox-recovery.js';

/**
 * The relay takes rows that were committed and hands them to the bus. Rows are locked, not counted
 * past: the order of a sequence is not the order of commits, so "greater than the last" loses rows.
 */
export interface OutboxRow {
  seq: string;
  event_id: string;
  type: BusEventType;
  /** The whole BusEvent as JSON text. */
  payload: string;
}

export interface RelayOptions {
  environment: Environment;
  pool: Pool;
  bus: Bus;
  log: Logger;
  /** Must end in FOR UPDATE SKIP LOCKED and take the limit as $1. */
  takeSql?: string;
  /** How often the bus is asked whether it has lost its store; milliseconds. */
  askBusEveryMs?: number;
}

export interface Relay {
  /** Called after a commit of this process; rows of others are found by the pause. */
  wake(): void;
  stop(): Promise<void>;
}

const batchSize = 256;
const pauseMs = 500;
const pauseWhenAwayMs = 1_000;
const askBusEveryMs = 5_000;

const defaultTakeSql = `
  SELECT seq, event_id, type, payload FROM outbox
  WHERE published_at IS NULL ORDER BY seq LIMIT $1
  FOR UPDATE SKIP LOCKED`;

export function startRelay(options: RelayOptions): Relay {
  let stopped = false;
  let wakeUp: () => void = () => {};
  let woken = false;

  const sleep = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      if (woken || stopped) return resolve();
      const timer = setTimeout(resolve, ms);
      wakeUp = () => {
        clearTimeout(timer);
        resolve();
      };
    });

  const recovery = new OutboxRecovery(options);
  let askBusAt = 0;
  const recover = async (): Promise<void> => {
    if (Date.now() < askBusAt || !options.bus.connected()) return;
    await recovery.check();
    askBusAt = Date.now() + (options.askBusEveryMs ?? askBusEveryMs);
  };

  const run = async (): Promise<void> => {
    while (!stopped) {
      woken = false;
      try {
        await recover();
        const published = await relayBatch(options);
        if (published < batchSize) await sleep(pauseMs);
      } catch (error) {
        options.log.warn({ err: error }, 'events wait in the outbox');
        // Not woken by commits: while the bus or the database is away, trying faster helps nobody.
        await new Promise((resolve) => setTimeout(resolve, pauseWhenAwayMs));
      }
    }
  };
  const running = run();

  return {
    wake: () => {
      woken = true;
      wakeUp();
    },
    stop: async () => {
      stopped = true;
      wakeUp();
      await running;
      // What was committed while the loop ended goes out now rather than at the next start.
      await relayBatch(options).catch(() => 0);
    },
  };
}

/** Publishes up to one batch and marks what the bus has acknowledged. Returns how many. */
async function relayBatch({ environment, pool, bus, takeSql }: RelayOptions): Promise<number> {
  if (!bus.connected()) throw new Error('the bus is away');
  return inTransaction(pool, async (client) => {
    const { rows } = await client.query<OutboxRow>(takeSql ?? defaultTakeSql, [batchSize]);
    if (rows.length === 0) return 0;
    const results = await Promise.allSettled(
      rows.map(({ event_id, type, payload }) =>
        bus.publish({ id: event_id, type, environment }, payload),
      ),
    );
    const done = rows.filter((_, index) => results[index]?.status === 'fulfilled');
    await client.query('UPDATE outbox SET published_at = now() WHERE seq = ANY($1::bigint[])', [
      done.map((row) => row.seq),
    ]);
    return done.length;
  });
}

/** Adds events to the outbox inside the transaction of the change they tell of. */
export async function addToOutbox(
  client: PoolClient,
  events: ReadonlyArray<{ id: string; type: BusEventType }>,
): Promise<void> {
  if (events.length === 0) return;
  await client.query(
    `INSERT INTO outbox (event_id, type, payload)
     SELECT * FROM unnest($1::text[], $2::text[], $3::text[])`,
    [
      events.map((event) => event.id),
      events.map((event) => event.type),
      events.map((event) => JSON.stringify(event)),
    ],
  );
}
