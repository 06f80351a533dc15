import type { ClientOptions } from '@grpc/grpc-js';
import type { MethodDefinition } from '@grpc/proto-loader';
import { replicasOf } from './addresses.js';
import type { CallOptions } from './grpc-types.js';
import { StreamClient } from './stream-client.js';
import type { Frames } from './stream-frames.js';

export interface BalancerOptions {
  /** Every replica behind it has a stream of its own. */
  address: string;
  open: MethodDefinition<Frames, Frames, Frames, Frames>;
  channel: ClientOptions;
  /** How often the name is looked up again. */
  refreshMs?: number;
  /** Another way from the address to its replicas, in tests. */
  resolve?: Resolve;
}

type Resolve = (address: string) => Promise<string[]>;

const defaultRefreshMs = 1_000;

/**
 * Spreads calls over the replicas behind one name: of two picked at random, the one with fewer
 * calls under way. A new replica gets its share once it resolves, a broken stream none.
 */
export class StreamBalancer {
  readonly #options: BalancerOptions & { resolve: Resolve };
  readonly #replicas = new Map<string, StreamClient>();
  readonly #timer: NodeJS.Timeout;
  #looking = false;
  #closed = false;

  constructor(options: BalancerOptions) {
    this.#options = { resolve: replicasOf, ...options };
    void this.#refresh();
    this.#timer = setInterval(() => void this.#refresh(), options.refreshMs ?? defaultRefreshMs);
    this.#timer.unref();
  }

  /** Null where no stream is up: the caller then uses the unary call. */
  call(
    method: string,
    payload: Buffer,
    options: CallOptions & { timeoutMs: number },
  ): Promise<Buffer> | null {
    const replica = this.#pick();
    return replica ? replica.call(method, payload, options) : null;
  }

  close(): void {
    this.#closed = true;
    clearInterval(this.#timer);
    for (const replica of this.#replicas.values()) replica.close();
  }

  #pick(): StreamClient | null {
    // Most addresses are one replica's; nothing is drawn for it.
    const [first] = this.#replicas.values();
    if (first && this.#replicas.size === 1) return first.ready ? first : null;
    const ready = [...this.#replicas.values()].filter((replica) => replica.ready);
    const at = Math.floor(Math.random() * ready.length);
    // Never the same one twice: whoever is slow would get a share without being compared.
    const further = 1 + Math.floor(Math.random() * (ready.length - 1));
    const one = ready[at];
    const other = ready[(at + further) % ready.length];
    if (!one || !other) return null;
    return one.inFlight <= other.inFlight ? one : other;
  }

  /**
   * One look at a time: a name server that is silent keeps one for many seconds, a process makes
   * two at once, and one more each second would soon stand before all that others look up.
   */
  async #refresh(): Promise<void> {
    if (this.#looking) return;
    this.#looking = true;
    const found = await this.#options.resolve(this.#options.address).finally(() => {
      this.#looking = false;
    });
    // A name that does not resolve at this moment says nothing about the streams that are up.
    if (this.#closed || found.length === 0) return;
    for (const address of found) {
      if (this.#replicas.has(address)) continue;
      const { open, channel } = this.#options;
      this.#replicas.set(address, new StreamClient(address, open, channel));
    }
    for (const [address, replica] of this.#replicas) {
      if (found.includes(address)) continue;
      this.#replicas.delete(address);
      replica.close();
    }
  }
}
