import { setTimeout as pause } from 'node:timers/promises';
import type { Environment } from '@countersign/kernel/environment';
import type { BusEvent, BusTopic } from '@countersign/kernel/event';
import { connect, type NatsConnection } from 'nats';
import { Consumption } from './bus/consumption.js';
import type { BusOptions, Subscription } from './bus/options.js';
import { busNames, StreamKeeper } from './bus/stream.js';
import { withDeadline } from './deadline.js';

export type { BusOptions, Subscription } from './bus/options.js';

/**
 * The bus recognises a repeat of this very batch by its id; events repeated in other batches are
 * recognised by the consumers.
 */
export interface EventBatch {
  id: string;
  topic: BusTopic;
  environment: Environment;
  /** Each is one or more BusEvents as JSON texts, separated by commas. */
  payloads: readonly string[];
}

export interface Bus {
  /** Resolves when the event is stored on the topic of its type; rejects at the deadline. */
  publish(event: Pick<BusEvent, 'id' | 'type' | 'environment'>, payload: string): Promise<void>;
  /** Publishes several events of one topic as one message, at the cost of one event. */
  publishTogether(batch: EventBatch): Promise<void>;
  /** Delivers every event at least once to this service, to any one of its replicas. */
  subscribe(subscription: Subscription): void;
  /**
   * When the stream was created, in epoch milliseconds by the clock of the bus; creates it if it
   * does not exist. A later time than before means that everything published earlier is lost.
   */
  keptSince(environment: Environment): Promise<number>;
  connected(): boolean;
  /** Resolves with the first connection, however late, or when the bus is closed before. */
  opened(): Promise<void>;
  close(): Promise<void>;
}

const deadline = { ms: 5_000, what: 'the bus' };
const reconnectPauseMs = 250;
/** An available bus is connected within this time at start; until then nothing is reported. */
const usuallyOpenMs = 5_000;

/**
 * JetStream is transport, not storage: the outbox row is the durable event. So the bus may be
 * unavailable, restarted or wiped at any time; the client connects in the background and recreates
 * the streams.
 */
export function createBus(options: BusOptions): Bus {
  const streams = new StreamKeeper();
  const subscriptions: Consumption[] = [];
  const subscribed = new Set<string>();
  let current: NatsConnection | null = null;
  let closing = false;
  const connection = firstConnection(options, () => !closing);
  const opened = connection.then(
    () => {},
    () => {},
  );
  connection.then(
    (nats) => {
      current = nats;
      return closing ? nats.close() : undefined;
    },
    () => options.log.debug('closed before the bus was connected'),
  );

  const send = sender({ connection, streams, ...options });
  return {
    publish: ({ id, type, environment }, payload) =>
      send({ id, topic: type, environment }, payload),
    publishTogether: ({ payloads, ...batch }) => send(batch, `[${payloads.join()}]`),
    async keptSince(environment) {
      const nats = await withDeadline(connection, deadline);
      const names = busNames(options.namespace, environment);
      return streams.ensure(await nats.jetstreamManager(), names);
    },
    subscribe(subscription) {
      refuseSecond(subscription, subscribed);
      const consumption = new Consumption({ connection, streams, ...options }, subscription);
      subscriptions.push(consumption);
      void consumption.run();
    },
    connected: () => current !== null && !closing && !current.isClosed() && online(current),
    opened: () => opened,
    async close() {
      closing = true;
      await Promise.all(subscriptions.map((subscription) => subscription.stop()));
      if (current) await withDeadline(current.drain(), deadline).catch(() => current?.close());
    },
  };
}

/** Two would share the durable consumer of the service, so that each got half of the events. */
function refuseSecond({ environment, topic }: Subscription, subscribed: Set<string>): void {
  const key = `${environment} ${topic}`;
  if (subscribed.has(key)) {
    throw new Error(`${key} is subscribed to already: let one handler do what both would`);
  }
  subscribed.add(key);
}

type Message = Omit<EventBatch, 'payloads'>;

function sender({
  connection,
  streams,
  namespace,
  metrics,
}: BusOptions & { connection: Promise<NatsConnection>; streams: StreamKeeper }) {
  return async ({ id, topic, environment }: Message, payload: string): Promise<void> => {
    const nats = await withDeadline(connection, deadline);
    metrics.roundTrip('publish');
    const names = busNames(namespace, environment);
    const once = (): Promise<void> => publishOnce(nats, names.subject(topic), { id, payload });
    await once().catch(async (error: { code?: string }) => {
      // 503: nothing listens on the subject, because the server has lost its store.
      if (error.code !== '503') throw error;
      await streams.ensure(await nats.jetstreamManager(), names);
      await once();
    });
    streams.saw(names);
  };
}

/**
 * Retries until the server is reachable or the bus is closed, which rejects. The library would
 * retry for ever and keep the process alive. Reports once that the server is unavailable.
 */
async function firstConnection(
  { url, service, log, usuallyOpenMs: quietMs = usuallyOpenMs }: BusOptions,
  isWanted: () => boolean,
): Promise<NatsConnection> {
  const began = performance.now();
  let told = false;
  for (;;) {
    try {
      return await connect({
        servers: url,
        name: service,
        maxReconnectAttempts: -1,
        reconnectTimeWait: reconnectPauseMs,
        reconnectJitter: 100,
        timeout: 2_000,
        pingInterval: 10_000,
        // Otherwise every request captures two stack traces in case it fails.
        noAsyncTraces: true,
      });
    } catch (error) {
      if (!isWanted()) throw error;
      if (!told && performance.now() - began >= quietMs) {
        told = true;
        log.warn({ err: error }, 'the bus is unavailable; retrying, events stay in the outbox');
      }
      await pause(reconnectPauseMs);
    }
  }
}

function online(nats: NatsConnection): boolean {
  return (nats as unknown as { protocol?: { connected?: boolean } }).protocol?.connected ?? true;
}

async function publishOnce(
  nats: NatsConnection,
  subject: string,
  message: { id: string; payload: string },
): Promise<void> {
  await nats.jetstream().publish(subject, Buffer.from(message.payload), {
    msgID: message.id,
    timeout: deadline.ms,
  });
}
