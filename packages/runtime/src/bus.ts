import type { Environment } from '@countersign/kernel/environment';
import type { BusTopic } from '@countersign/kernel/event';
import { BusConnection } from './bus/connection.js';
import { type BusParts, Consumption } from './bus/consumption.js';
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
  /**
   * Publishes several events of one topic as one message, at the cost of one event. Resolves when
   * they are stored; rejects at the deadline, after which they may still be stored.
   */
  publishTogether(batch: EventBatch): Promise<void>;
  /** Delivers every event at least once to this service, to any one of its replicas. */
  subscribe(subscription: Subscription): void;
  /**
   * When the stream was created, in epoch milliseconds by the clock of the bus; creates it if it
   * does not exist. A later time than before means that everything published earlier is lost.
   * Rejects at the deadline.
   */
  keptSince(environment: Environment): Promise<number>;
  connected(): boolean;
  /** Resolves with the first connection, however late, or when the bus is closed before. */
  opened(): Promise<void>;
  /** The largest message that the server takes; infinite before the first connection. */
  maxMessageBytes(): number;
  close(): Promise<void>;
}

/** For all that is asked of the bus at once: while it publishes, the relay holds a transaction. */
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
  const parts: BusParts = { connection, streams, ...options };
  watchSubscriptions(options, subscriptions);
  return {
    publishTogether: (batch) => withDeadline(publish(parts, batch), deadline),
    keptSince: (environment) => withDeadline(keptSince(parts, environment), deadline),
    subscribe(subscription) {
      refuseSecond(subscription, subscribed);
      const consumption = new Consumption(parts, subscription);
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

/** Nothing else shows it: what is published and not consumed waits without a sound. */
function watchSubscriptions({ metrics }: BusOptions, subscriptions: readonly Consumption[]): void {
  const gauge = metrics.gauge('bus_subscribed', '1 while events of this topic arrive', [
    'environment',
    'topic',
  ]);
  metrics.sample(gauge, () => {
    for (const consumption of subscriptions) {
      const { environment, topic } = consumption.subscription;
      gauge.set({ environment, topic }, consumption.subscribed() ? 1 : 0);
    }
  });
}

/** Two would share the durable consumer of the service, so that each got half of the events. */
function refuseSecond({ environment, topic }: Subscription, subscribed: Set<string>): void {
  const key = `${environment} ${topic}`;
  if (subscribed.has(key)) {
    throw new Error(`${key} is subscribed to already: let one handler do what both would`);
  }
  subscribed.add(key);
}

async function publish(parts: BusParts, { id, topic, environment, payloads }: EventBatch) {
  const { connection, streams, namespace, metrics } = parts;
  const nats = await connection.get();
  metrics.roundTrip('publish');
  const names = busNames(namespace, environment);
  const content = Buffer.from(`[${payloads.join()}]`);
  const once = async (): Promise<void> => {
    const client = nats.jetstream(jetStreamOf(parts));
    await client.publish(names.subject(topic), content, { msgID: id, timeout: deadline.ms });
  };
  await once().catch(async (error: { code?: string }) => {
    // 503: nothing listens on the subject, because the server has lost its store.
    if (error.code !== '503') throw error;
    await keptSince(parts, environment);
    await once();
  });
  streams.saw(names);
}

async function keptSince(parts: BusParts, environment: Environment): Promise<number> {
  const nats = await parts.connection.get();
  const manager = await nats.jetstreamManager(jetStreamOf(parts));
  return parts.streams.ensure(manager, busNames(parts.namespace, environment));
}
