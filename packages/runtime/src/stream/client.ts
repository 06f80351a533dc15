import { type ChannelCredentials, Client, type ClientOptions } from '@grpc/grpc-js';
import type { MethodDefinition } from '@grpc/proto-loader';
import type { CallOptions } from '../grpc-types.js';
import type { Frames } from './frames.js';
import { OpenStream, StreamBroken } from './open-stream.js';

export interface StreamOptions {
  open: Pick<
    MethodDefinition<Frames, Frames, Frames, Frames>,
    'path' | 'requestSerialize' | 'responseDeserialize'
  >;
  credentials: ChannelCredentials;
  channel: ClientOptions;
}

/** Pause before a broken stream is reopened; it doubles with each failure. */
const reopenPauseMs = 100;
const maxReopenPauseMs = 2_000;

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
