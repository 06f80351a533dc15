import type { Environment } from '@countersign/kernel/environment';
import type { BusEvent, BusTopic } from '@countersign/kernel/event';
import { BusConnection } from './bus/connection.js';
import { Consumption } from './bus/consumption.js';
import { type BusOptions, jetStreamOf, type Subscription } from './bus/options.js';
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
  /** The largest message that the server takes; infinite before the first connection. */
  maxMessageBytes(): number;
  close(): Promise<void>;
}

const deadline = { ms: 5_000, what: 'the bus' };

/**
 * JetStream is transport, not storage: the outbox row is the durable event. So the bus may be
 * unavailable, restarted or wiped at any time; the client connects in the background and recreates
 * the streams.
 */
export function createBus(options: BusOptions): Bus {
  const streams = new StreamKeeper(options.streamReplicas);
  const subscriptions: Consumption[] = [];
  const subscribed = new Set<string>();
  const connection = new BusConnection(options);
  const send = sender({ connection, streams, ...options });
  return {
    publish: ({ id, type, environment }, payload) =>
      send({ id, topic: type, environment }, payload),
    publishTogether: ({ payloads, ...batch }) => send(batch, `[${payloads.join()}]`),
    async keptSince(environment) {
      const nats = await withDeadline(connection.get(), deadline);
      const names = busNames(options.namespace, environment);
      return streams.ensure(await nats.jetstreamManager(jetStreamOf(options)), names);
    },
    subscribe(subscription) {
      refuseSecond(subscription, subscribed);
      const consumption = new Consumption({ connection, streams, ...options }, subscription);
      subscriptions.push(consumption);
      void consumption.run();
    },
    connected: () => connection.connected(),
    opened: () => connection.opened(),
    maxMessageBytes: () => connection.maxMessageBytes(),
    async close() {
      connection.beginClosing();
      await Promise.all(subscriptions.map((subscription) => subscription.stop()));
      await connection.close();
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

function sender(
  options: BusOptions & { connection: BusConnection; streams: StreamKeeper },
): (message: Message, payload: string) => Promise<void> {
  const { connection, streams, namespace, metrics } = options;
  const jetStream = jetStreamOf(options);
  return async ({ id, topic, environment }, payload) => {
    const nats = await withDeadline(connection.get(), deadline);
    metrics.roundTrip('publish');
    const names = busNames(namespace, environment);
    const publish = { msgID: id, timeout: deadline.ms };
    const once = async (): Promise<void> => {
      const client = nats.jetstream(jetStream);
      await client.publish(names.subject(topic), Buffer.from(payload), publish);
    };
    await once().catch(async (error: { code?: string }) => {
      // 503: nothing listens on the subject, because the server has lost its store.
      if (error.code !== '503') throw error;
      await streams.ensure(await nats.jetstreamManager(jetStream), names);
      await once();
    });
    streams.saw(names);
  };
}
