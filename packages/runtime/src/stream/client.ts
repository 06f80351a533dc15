import { Fault, type WireFault } from '@countersign/kernel/fault';
import {
  type ChannelCredentials,
  Client,
  type ClientDuplexStream,
  type ClientOptions,
} from '@grpc/grpc-js';
import type { MethodDefinition } from '@grpc/proto-loader';
import { isStrayCall } from '../grpc/fault.js';
import type { CallOptions } from '../grpc-types.js';
import { PassingMap } from '../passing-map.js';
import { type Frame, FrameQueue, type Frames } from './frames.js';

export interface StreamOptions {
  open: Pick<
    MethodDefinition<Frames, Frames, Frames, Frames>,
    'path' | 'requestSerialize' | 'responseDeserialize'
  >;
  credentials: ChannelCredentials;
  channel: ClientOptions;
}

/** Calls in flight on one stream; more are refused immediately rather than queued in memory. */
const maxInFlight = 4_096;
/** Pause before a broken stream is reopened; it doubles with each failure. */
const reopenPauseMs = 100;
const maxReopenPauseMs = 2_000;

interface Waiting {
  resolve(payload: Buffer): void;
  reject(fault: Fault): void;
  timer: NodeJS.Timeout;
}

/** The stream broke before the answer came; the message may be sent again to another replica. */
export class StreamBroken extends Error {}

/**
 * The client side of a long-lived stream to one replica. When the server asks for it, new calls go
 * to a fresh stream while the old one finishes its own.
 */
export class StreamClient {
  readonly #client: Client;
  readonly #open: StreamOptions['open'];
  #current: OpenStream | null = null;
  #failures = 0;
  #closed = false;

  constructor(address: string, { open, credentials, channel }: StreamOptions) {
    this.#client = new Client(address, credentials, channel);
    this.#open = open;
    this.#reopen();
  }

  get ready(): boolean {
    return this.#current?.ready ?? false;
  }

  get inFlight(): number {
    return this.#current?.inFlight ?? 0;
  }

  call(method: string, payload: Buffer, options: CallOptions & { timeoutMs: number }) {
    const stream = this.#current;
    if (!stream) return Promise.reject(new StreamBroken());
    return stream.call(method, payload, options);
  }

  close(): void {
    this.#closed = true;
    this.#current?.finish();
    this.#client.close();
  }

  #reopen(): void {
    if (this.#closed) return;
    const { path, requestSerialize, responseDeserialize } = this.#open;
    const duplex = this.#client.makeBidiStreamRequest<Frames, Frames>(
      path,
      requestSerialize as (value: Frames) => Buffer,
      responseDeserialize as (bytes: Buffer) => Frames,
    );
    const stream = new OpenStream(duplex, {
      onClosing: () => {
        if (this.#current === stream) this.#reopen();
      },
      onBroken: () => {
        if (this.#current !== stream) return;
        this.#current = null;
        this.#failures = stream.wasUp ? 0 : this.#failures + 1;
        const pauseMs = Math.min(reopenPauseMs * 2 ** this.#failures, maxReopenPauseMs);
        setTimeout(() => this.#reopen(), pauseMs).unref();
      },
    });
    this.#current = stream;
  }
}

interface StreamEvents {
  onClosing(): void;
  onBroken(): void;
}

class OpenStream {
  readonly #duplex: ClientDuplexStream<Frames, Frames>;
  readonly #queue: FrameQueue;
  readonly #waiting = new PassingMap<number, Waiting>();
  #nextId = 1;
  #closing = false;
  #connected = false;
  /** It leads to another service, until the name server notices or the stream is replaced. */
  #astray = false;
  wasUp = false;

  constructor(duplex: ClientDuplexStream<Frames, Frames>, events: StreamEvents) {
    this.#duplex = duplex;
    this.#queue = new FrameQueue((frames) => duplex.write(frames));
    duplex.on('metadata', () => {
      this.#connected = true;
      this.wasUp = true;
    });
    duplex.on('data', (message: Frames) => {
      for (const frame of message.frames) this.#settle(frame);
      if (message.closing && !this.#closing) {
        this.finish();
        events.onClosing();
      }
    });
    duplex.on('drain', () => this.#queue.resume());
    duplex.on('error', () => this.#break(events));
    duplex.on('end', () => this.#break(events));
  }

  get ready(): boolean {
    return this.#connected && !this.#closing && !this.#astray;
  }

  get inFlight(): number {
    return this.#waiting.size;
  }

  call(
    method: string,
    payload: Buffer,
    { environment, requestId, timeoutMs, trace }: CallOptions & { timeoutMs: number },
  ): Promise<Buffer> {
    if (this.#waiting.size >= maxInFlight) return Promise.reject(overloaded());
    return new Promise((resolve, reject) => {
      const id = this.#nextId;
      this.#nextId = (this.#nextId % 0x7fffffff) + 1;
      const timer = setTimeout(() => {
        this.#waiting.take(id);
        reject(tooLate(method));
        // A late answer is ignored, so a stream that waits for nothing else would stay open.
        this.#endWhenDone();
      }, timeoutMs);
      this.#waiting.set(id, { resolve, reject, timer });
      const sandbox = environment === 'sandbox';
      const frame: Frame = { id, method, payload, timeoutMs, sandbox, requestId };
      if (trace) Object.assign(frame, trace.carrier);
      this.#queue.push(frame);
    });
  }

  /** Accepts no new calls, and ends once those in flight are answered. */
  finish(): void {
    this.#closing = true;
    this.#endWhenDone();
  }

  #settle({ id, payload, fault }: Frame): void {
    const waiting = this.#waiting.take(id);
    if (!waiting) return;
    clearTimeout(waiting.timer);
    if (fault && fault.length > 0) {
      const thrown = Fault.fromWire(JSON.parse(fault.toString()) as WireFault);
      this.#astray ||= isStrayCall(thrown);
      waiting.reject(thrown);
    } else {
      waiting.resolve(payload ?? Buffer.alloc(0));
    }
    this.#endWhenDone();
  }

  #break(events: StreamEvents): void {
    this.#connected = false;
    for (const { reject, timer } of this.#waiting.takeAll()) {
      clearTimeout(timer);
      reject(new StreamBroken() as unknown as Fault);
    }
    events.onBroken();
  }

  #endWhenDone(): void {
    if (!this.#closing || this.#waiting.size > 0) return;
    this.#queue.flush();
    this.#duplex.end();
  }
}

function overloaded(): Fault {
  return new Fault('unavailable', {
    message: 'Too many calls are under way; try again.',
  });
}

function tooLate(method: string): Fault {
  return new Fault('deadline', {
    message: 'A part of the service did not answer in time; try again.',
    internal: `${method}: no answer on the stream before the deadline`,
  });
}
