import { setTimeout as pause } from 'node:timers/promises';
import { connect, type NatsConnection } from 'nats';
import { withDeadline } from '../deadline.js';
import { accessTo } from './access.js';
import type { BusOptions } from './options.js';

const reconnectPauseMs = 250;
/** The library tells nobody why it cannot reconnect; after this many attempts it is replaced. */
const silentAttempts = 10;
/** An available bus is connected within this time; until then nothing is reported. */
const usuallyOpenMs = 5_000;
/**
 * A server whose machine vanished closes no connection. One that answers none of two pings is given
 * up for another after three times this long.
 */
const pingEveryMs = 3_000;
const drainDeadline = { ms: 5_000, what: 'the bus' };

/**
 * The connection to the bus, made in the background. The library repairs it by itself, but gives it
 * up for good after a few seconds, if the server refuses its credentials twice, as one does that is
 * being reconfigured, or if they cannot be read. Then another is made, which says what is wrong.
 */
export class BusConnection {
  readonly #options: BusOptions;
  #current: NatsConnection | null = null;
  #closing = false;
  #next: Promise<NatsConnection>;
  readonly #opened: Promise<void>;

  constructor(options: BusOptions) {
    this.#options = options;
    this.#next = this.#make();
    this.#opened = this.#next.then(
      () => {},
      () => {},
    );
  }

  /** However late; rejects if it is closed before. */
  get(): Promise<NatsConnection> {
    return this.#next;
  }

  opened(): Promise<void> {
    return this.#opened;
  }

  connected(): boolean {
    const nats = this.#current;
    return nats !== null && !this.#closing && !nats.isClosed() && online(nats);
  }

  maxMessageBytes(): number {
    return this.#current?.info?.max_payload ?? Number.POSITIVE_INFINITY;
  }

  /** Called first, so that nothing is made again that is being closed. */
  beginClosing(): void {
    this.#closing = true;
  }

  async close(): Promise<void> {
    this.#closing = true;
    const nats = this.#current;
    if (nats) await withDeadline(nats.drain(), drainDeadline).catch(() => nats.close());
  }

  #make(): Promise<NatsConnection> {
    const next = made(this.#options, () => !this.#closing);
    next.then(
      (nats) => this.#has(nats),
      () => this.#options.log.debug('closed before the bus was connected'),
    );
    return next;
  }

  #has(nats: NatsConnection): void {
    this.#current = nats;
    if (this.#closing) {
      void nats.close();
      return;
    }
    void nats.closed().then(() => {
      if (!this.#closing) this.#next = this.#make();
    });
  }
}

/**
 * Retries until the server is reachable or the bus is closed, which rejects. The library would
 * retry for ever and keep the process alive. Reports once that the server is unavailable.
 */
async function made(options: BusOptions, isWanted: () => boolean): Promise<NatsConnection> {
  const { service, log, usuallyOpenMs: quietMs = usuallyOpenMs } = options;
  const began = performance.now();
  let told = false;
  for (;;) {
    try {
      const nats = await connect({
        ...accessTo(options),
        name: service,
        maxReconnectAttempts: silentAttempts,
        reconnectTimeWait: reconnectPauseMs,
        reconnectJitter: 100,
        reconnectJitterTLS: 100,
        timeout: 2_000,
        pingInterval: pingEveryMs,
        // Otherwise every request captures two stack traces in case it fails.
        noAsyncTraces: true,
      });
      if (told) log.info('the bus is available again');
      return nats;
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
