import { setTimeout as pause } from 'node:timers/promises';
import type { Environment } from '@countersign/kernel/environment';
import type { BusEvent } from '@countersign/kernel/event';
import { type PackedEvent, unpackedEvent } from '@countersign/kernel/packed-event';
import { type ConsumerMessages, type JetStreamManager, type JsMsg, nanos } from 'nats';
import { isPassing } from '../connectivity.js';
import { RepeatedFailure } from '../repeated-failure.js';
import { ending } from '../trace.js';
import type { BusConnection } from './connection.js';
import { type BusOptions, jetStreamOf, type Subscription } from './options.js';
import { type BusNames, busNames, type StreamKeeper } from './stream.js';

const ackWaitMs = 30_000;
/** Of all replicas together. */
const maxUnacked = 256;
/**
 * Messages handled concurrently by one process; a message holds up to some 150 events. At most as
 * many again wait in the process: the library requests more when messages arrive, but its requests
 * are in the queue behind them, so none is sent while the loop waits for a message to be handled.
 */
const maxInFlight = 32;
const pauseAfterFailureMs = 1_000;
const heartbeatMs = 5_000;
/** A server that sends no heartbeats, since it refuses the requests, is given up before. */
const heardAfterMs = 4 * heartbeatMs;

/** What the uses of one bus share. */
export interface BusParts extends BusOptions {
  connection: BusConnection;
  streams: StreamKeeper;
}

/** One durable consumer, shared by the replicas of a service. */
export class Consumption {
  #messages: ConsumerMessages | null = null;
  #stopped = false;
  #begunAt: number | null = null;
  #heard = false;
  readonly #inFlight = new Set<Promise<void>>();

  constructor(
    readonly options: BusParts,
    readonly subscription: Subscription,
  ) {}

  async run(): Promise<void> {
    const { environment, topic } = this.subscription;
    const failure = new RepeatedFailure({
      ...{ log: this.options.log, facts: { environment, topic } },
      failed: 'bus subscription interrupted; resubscribing',
      over: 'subscribed to the bus again',
    });
    while (!this.#stopped) {
      try {
        await this.#consume(failure);
      } catch (error) {
        if (this.#stopped) return;
        failure.failed(error);
      } finally {
        this.#begunAt = null;
        this.#heard = false;
      }
      if (!this.#stopped) await pause(pauseAfterFailureMs);
    }
  }

  /** Whether events arrive, or would: for a while only the first one tells. */
  subscribed(): boolean {
    if (this.#begunAt === null) return false;
    return this.#heard || performance.now() - this.#begunAt > heardAfterMs;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#messages?.close();
    await Promise.allSettled(this.#inFlight);
  }

  async #consume(failure: RepeatedFailure): Promise<void> {
    const names = busNames(this.options.namespace, this.subscription.environment);
    const nats = await this.options.connection.get();
    const jetStream = jetStreamOf(this.options);
    const manager = await nats.jetstreamManager(jetStream);
    await this.options.streams.ensure(manager, names);
    const durable = await this.#ensureConsumer(manager, names);
    const consumer = await nats.jetstream(jetStream).consumers.get(names.stream, durable);
    const messages = await consumer.consume({
      max_messages: maxInFlight,
      idle_heartbeat: heartbeatMs,
    });
    this.#messages = messages;
    this.#begunAt = performance.now();
    failure.succeeded();
    void this.#watch(messages, failure);
    // A connection that is given up does not end what is read from it.
    void nats.closed().then(() => messages.stop());
    for await (const message of messages) {
      this.#heard = true;
      const work = this.#deliver(message).finally(() => this.#inFlight.delete(work));
      this.#inFlight.add(work);
      if (this.#inFlight.size >= maxInFlight) await Promise.race(this.#inFlight);
    }
  }

  async #ensureConsumer(manager: JetStreamManager, names: BusNames): Promise<string> {
    const { topic } = this.subscription;
    const durable = `${this.options.service}-${topic.replaceAll('.', '_')}`;
    await manager.consumers.add(names.stream, {
      durable_name: durable,
      ack_policy: 'explicit' as never,
      deliver_policy: 'all' as never,
      ack_wait: nanos(ackWaitMs),
      max_ack_pending: maxUnacked,
      filter_subject: names.subject(topic),
    });
    return durable;
  }

  /** Detects by missing heartbeats that the server has lost the consumer along with its store. */
  async #watch(messages: ConsumerMessages, failure: RepeatedFailure): Promise<void> {
    for await (const status of await messages.status()) {
      const lost = status.type === 'consumer_deleted' || status.type === 'stream_not_found';
      const silent = status.type === 'heartbeats_missed' && Number(status.data) >= 2;
      if (!lost && !silent && status.type !== 'consumer_not_found') continue;
      failure.failed(new Error(`the bus does not deliver: ${status.type}`));
      messages.stop();
    }
  }

  async #deliver(message: JsMsg): Promise<void> {
    try {
      // Each is read by itself, so that one that this release cannot read holds up no other.
      const results = await Promise.allSettled(
        message
          .json<Content[]>()
          .map(async (content) =>
            this.#handle(wholeEvent(content, this.subscription.environment), message.subject),
          ),
      );
      const failed = results.find((result) => result.status === 'rejected');
      // The whole message is redelivered; events that already took effect are recognised by their
      // ids.
      if (failed) throw failed.reason;
      message.ack();
    } catch (error) {
      const about = { err: error, subject: message.subject };
      const text = 'event handling failed; it will be redelivered';
      if (isPassing(error)) this.options.log.warn(about, text);
      else this.options.log.error(about, text);
      message.nak(Math.min(60_000, 500 * 2 ** Math.min(message.info.redeliveryCount, 7)));
    }
  }

  #handle(event: BusEvent, subject: string): Promise<void> {
    const { tracer } = this.options;
    const { handle } = this.subscription;
    if (!tracer || !event.trace) return handle(event, null);
    const facts = {
      'messaging.system': 'nats',
      'messaging.operation.type': 'process',
      'messaging.destination.name': subject,
      'messaging.message.id': event.id,
      'countersign.environment': event.environment,
    } as const;
    const name = `process ${event.type}`;
    const trace = tracer.resume(event.trace, name, { kind: 'consumer', facts });
    return ending(trace, handle(event, trace));
  }
}

/** A message is a list of these, in the order in which they happened. */
type Content = BusEvent | PackedEvent;

function wholeEvent(content: Content, environment: Environment): BusEvent {
  return Array.isArray(content) ? unpackedEvent(content, environment) : content;
}
