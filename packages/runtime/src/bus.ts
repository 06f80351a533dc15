import { setTimeout as pause } from 'node:timers/promises';
import type { Environment } from '@countersign/kernel/environment';
import type { BusEvent, BusEventType } from '@countersign/kernel/event';
import {
  type ConsumerMessages,
  connect,
  type JetStreamManager,
  type JsMsg,
  type NatsConnection,
  nanos,
} from 'nats';
import { type BusNames, busNames, ensureStream } from './bus-stream.js';
import { withDeadline } from './deadline.js';
import type { Logger } from './log.js';
import type { Metrics } from './metrics.js';

export interface BusOptions {
  url: string;
  /** Name of the process, and of its durable consumers. */
  service: string;
  /** First part of every subject and stream: several installations can share a server. */
  namespace: string;
  log: Logger;
  metrics: Metrics;
}

export interface Subscription {
  environment: Environment;
  types: BusEventType[];
  /** Resolves once the effect is durable; only then is the message acknowledged. */
  handle: (event: BusEvent) => Promise<void>;
}

export interface Bus {
  /** Resolves when the bus has the event; rejects at the deadline. */
  publish(event: Pick<BusEvent, 'id' | 'type' | 'environment'>, payload: string): Promise<void>;
  /** Delivers every event at least once to this service, whichever replica takes it. */
  subscribe(subscription: Subscription): void;
  /**
   * Epoch milliseconds, by the bus's clock, since when it has kept what is published here; makes
   * the stream where there is none. A later time than before says that everything older is lost.
   */
  keptSince(environment: Environment): Promise<number>;
  connected(): boolean;
  close(): Promise<void>;
}

const deadline = { ms: 5_000, what: 'the bus' };
const ackWaitMs = 30_000;
const maxUnacked = 256;
const pauseAfterFailureMs = 1_000;
const reconnectPauseMs = 250;

/**
 * JetStream is transport, not proof: the outbox row is the durable event. So the bus may be away,
 * restarted or wiped at any time; it connects in the background and makes its streams again.
 */
export function createBus(options: BusOptions): Bus {
  const subscriptions: Consumption[] = [];
  let current: NatsConnection | null = null;
  let closing = false;
  const connection = firstConnection(options, () => !closing);
  connection.then(
    (nats) => {
      current = nats;
      return closing ? nats.close() : undefined;
    },
    () => options.log.debug('closed before the bus was there'),
  );

  return {
    async publish(event, payload) {
      const nats = await withDeadline(connection, deadline);
      options.metrics.roundTrip('publish');
      const { environment, type, id } = event;
      const names = busNames(options.namespace, environment);
      const send = (): Promise<void> => publishOnce(nats, names.subject(type), { id, payload });
      await send().catch(async (error: { code?: string }) => {
        // 503: nothing listens on the subject, because the server lost its store.
        if (error.code !== '503') throw error;
        await ensureStream(await nats.jetstreamManager(), names);
        await send();
      });
    },
    async keptSince(environment) {
      const nats = await withDeadline(connection, deadline);
      const names = busNames(options.namespace, environment);
      const manager = await nats.jetstreamManager();
      await ensureStream(manager, names);
      const { created } = await manager.streams.info(names.stream);
      return Date.parse(created);
    },
    subscribe(subscription) {
      const consumption = new Consumption(connection, options, subscription);
      subscriptions.push(consumption);
      void consumption.run();
    },
    connected: () => current !== null && !closing && !current.isClosed() && online(current),
    async close() {
      closing = true;
      await Promise.all(subscriptions.map((subscription) => subscription.stop()));
      if (current) await withDeadline(current.drain(), deadline).catch(() => current?.close());
    },
  };
}

/**
 * Tries until the server is there, or until nobody wants it any more: then it rejects. The library
 * would go on trying for ever, and keep the process.
 */
async function firstConnection(
  { url, service }: BusOptions,
  isWanted: () => boolean,
): Promise<NatsConnection> {
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
      });
    } catch (error) {
      if (!isWanted()) throw error;
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

/** One durable consumer: several replicas of a service share it. */
class Consumption {
  #messages: ConsumerMessages | null = null;
  #stopped = false;
  readonly #inFlight = new Set<Promise<void>>();

  constructor(
    readonly connection: Promise<NatsConnection>,
    readonly options: BusOptions,
    readonly subscription: Subscription,
  ) {}

  async run(): Promise<void> {
    while (!this.#stopped) {
      try {
        await this.#consume();
      } catch (error) {
        if (this.#stopped) return;
        this.options.log.warn({ err: error }, 'bus subscription interrupted; taking it up again');
      }
      if (!this.#stopped) await pause(pauseAfterFailureMs);
    }
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#messages?.close();
    await Promise.allSettled(this.#inFlight);
  }

  async #consume(): Promise<void> {
    const names = busNames(this.options.namespace, this.subscription.environment);
    const nats = await this.connection;
    const manager = await nats.jetstreamManager();
    await ensureStream(manager, names);
    const durable = await this.#ensureConsumer(manager, names);
    const consumer = await nats.jetstream().consumers.get(names.stream, durable);
    const messages = await consumer.consume({ max_messages: maxUnacked, idle_heartbeat: 5_000 });
    this.#messages = messages;
    void this.#watch(messages);
    for await (const message of messages) {
      const work = this.#deliver(message).finally(() => this.#inFlight.delete(work));
      this.#inFlight.add(work);
    }
  }

  async #ensureConsumer(manager: JetStreamManager, names: BusNames): Promise<string> {
    const { types } = this.subscription;
    const durable = `${this.options.service}-${types.join('-').replaceAll('.', '_')}`;
    // Debian's server is 2.9 and knows one filter a consumer: several types are filtered here.
    const [only] = types;
    await manager.consumers.add(names.stream, {
      durable_name: durable,
      ack_policy: 'explicit' as never,
      deliver_policy: 'all' as never,
      ack_wait: nanos(ackWaitMs),
      max_ack_pending: maxUnacked,
      ...(types.length === 1 && only && { filter_subject: names.subject(only) }),
    });
    return durable;
  }

  /** A consumer that vanished (the server lost its store) is noticed by its missing heartbeat. */
  async #watch(messages: ConsumerMessages): Promise<void> {
    for await (const status of await messages.status()) {
      const lost = status.type === 'consumer_deleted' || status.type === 'stream_not_found';
      const silent = status.type === 'heartbeats_missed' && Number(status.data) >= 2;
      if (lost || silent || status.type === 'consumer_not_found') messages.stop();
    }
  }

  async #deliver(message: JsMsg): Promise<void> {
    try {
      const event = message.json<BusEvent>();
      if (this.subscription.types.includes(event.type)) await this.subscription.handle(event);
      message.ack();
    } catch (error) {
      this.options.log.error({ err: error, subject: message.subject }, 'event not handled yet');
      message.nak(Math.min(60_000, 500 * 2 ** Math.min(message.info.redeliveryCount, 7)));
    }
  }
}
