import { Fault, type WireFault } from '@countersign/kernel/fault';
import type { ClientDuplexStream } from '@grpc/grpc-js';
import { isStrayCall } from '../grpc/fault.js';
import type { CallOptions } from '../grpc-types.js';
import { PassingMap } from '../passing-map.js';
import { type Frame, FrameQueue, type Frames } from './frames.js';

/** Calls in flight on one stream; more are refused immediately rather than queued in memory. */
const maxInFlight = 4_096;

/** The stream broke before the answer came; the message may be sent again to another replica. */
export class StreamBroken extends Error {}

interface Waiting {
  resolve(payload: Buffer): void;
  reject(error: Error): void;
  timer: NodeJS.Timeout;
}

interface StreamEvents {
  onClosing(): void;
  onBroken(): void;
}

/** One stream: it has a beginning and an end, and each call on it has one answer. */
export class OpenStream {
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
      reject(new StreamBroken());
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
