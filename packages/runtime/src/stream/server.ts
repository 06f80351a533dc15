import { Metadata, type ServerDuplexStream } from '@grpc/grpc-js';
import type { Dispatcher } from '../grpc/dispatcher.js';
import { toWireFault } from '../grpc/fault.js';
import type { Logger } from '../log.js';
import { carrierOf } from '../trace.js';
import { type Frame, FrameQueue, type Frames } from './frames.js';

/** Serialization of the messages of an RPC. */
interface MethodCodec {
  requestDeserialize(bytes: Buffer): unknown;
  responseSerialize(value: never): Buffer;
}

interface StreamServerOptions {
  dispatcher: Dispatcher;
  codecs: Readonly<Record<string, MethodCodec>>;
  log: Logger;
  /** After this time a client is asked to open a new stream, so that it discovers new replicas. */
  lifetimeMs?: number;
}

type Stream = ServerDuplexStream<Frames, Frames>;

const defaultLifetimeMs = 20_000;

/** The server side of the multiplexed streams: every frame is a call of its own. */
export class StreamServer {
  readonly #options: StreamServerOptions;
  readonly #open = new Set<ServedStream>();

  constructor(options: StreamServerOptions) {
    this.#options = options;
  }

  /** The implementation of `countersign.v1.Multiplex/Open`. */
  readonly open = (stream: Stream): void => {
    const served = new ServedStream(stream, this.#options, () => this.#open.delete(served));
    this.#open.add(served);
  };

  /** Asks every client to use another stream; calls in flight are still answered. */
  close(): void {
    for (const served of this.#open) served.sayClosing();
  }
}

class ServedStream {
  readonly #options: StreamServerOptions;
  readonly #queue: FrameQueue;
  readonly #stream: Stream;
  #inFlight = 0;
  #ended = false;

  constructor(stream: Stream, options: StreamServerOptions, onEnd: () => void) {
    this.#stream = stream;
    this.#options = options;
    this.#queue = new FrameQueue((frames) => stream.write(frames));
    const timer = setTimeout(() => this.sayClosing(), options.lifetimeMs ?? defaultLifetimeMs);
    timer.unref();
    // Sends headers immediately rather than with the first answer, so that the client knows that
    // the stream is up.
    stream.sendMetadata(new Metadata());
    stream.on('data', (message: Frames) => this.#take(message));
    stream.on('end', () => {
      this.#ended = true;
      this.#endWhenDone();
    });
    stream.on('drain', () => this.#queue.resume());
    // The client disconnected. It enforces its own deadlines, and its retries carry ids.
    stream.on('error', () => stream.end());
    stream.on('close', () => {
      clearTimeout(timer);
      onEnd();
    });
  }

  sayClosing(): void {
    if (!this.#stream.writable) return;
    this.#stream.write({ frames: [], closing: true });
  }

  #take({ frames }: Frames): void {
    for (const frame of frames ?? []) void this.#serve(frame);
  }

  async #serve(frame: Frame): Promise<void> {
    this.#inFlight += 1;
    const answer = await this.#answer(frame);
    this.#inFlight -= 1;
    if (this.#stream.writable) this.#queue.push(answer);
    this.#endWhenDone();
  }

  async #answer({ id, method = '', payload, ...facts }: Frame): Promise<Frame> {
    try {
      const { requestId = '' } = facts;
      const coded = this.#codecOf(method, requestId);
      const request = coded((codec) => codec.requestDeserialize(payload ?? Buffer.alloc(0)));
      const response = await this.#options.dispatcher.answer(method, request, {
        environment: facts.sandbox ? 'sandbox' : 'live',
        requestId,
        deadlineAt: Date.now() + (facts.timeoutMs ?? 0),
        carrier: facts.traceparent ? carrierOf(facts.traceparent, facts.tracestate) : null,
      });
      return { id, payload: coded((codec) => codec.responseSerialize(response as never)) };
    } catch (error) {
      return { id, fault: Buffer.from(JSON.stringify(toWireFault(error))) };
    }
  }

  /** Tells of what fails before the dispatcher is asked, or after; undefined for a stray call. */
  #codecOf(method: string, requestId: string) {
    const codec = this.#options.codecs[method];
    return <T>(use: (codec: MethodCodec) => T): T | undefined => {
      try {
        return codec && use(codec);
      } catch (error) {
        const { log } = this.#options;
        log.error({ err: error, method, requestId }, 'a message could not be read or written');
        throw error;
      }
    };
  }

  #endWhenDone(): void {
    if (!this.#ended || this.#inFlight > 0) return;
    this.#queue.flush();
    this.#stream.end();
  }
}
