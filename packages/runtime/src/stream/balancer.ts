import { replicasOf } from '../grpc/addresses.js';
import type { CallOptions } from '../grpc-types.js';
import { StreamClient, type StreamOptions } from './client.js';

interface BalancerOptions extends StreamOptions {
  /** Every replica behind it gets its own stream. */
  address: string;
  /** How often the name is resolved again. */
  refreshMs?: number;
  /** Replaces name resolution in tests. */
  resolve?: Resolve;
}

type Resolve = (address: string) => Promise<string[]>;

const defaultRefreshMs = 1_000;

/**
 * Balances calls over the replicas behind one name by power of two choices: of two picked at
 * random, the one with fewer calls in flight. A new replica gets calls once the name resolves to
 * it, a replica whose stream is broken gets none.
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

  /** Null if no stream is up: the caller then uses the unary call. */
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
    // Most addresses have one replica, so nothing has to be chosen.
    const [first] = this.#replicas.values();
    if (first && this.#replicas.size === 1) return first.ready ? first : null;
    const ready = [...this.#replicas.values()].filter((replica) => replica.ready);
    const at = Math.floor(Math.random() * ready.length);
    // Never the same one twice, or a slow replica could be chosen without a comparison.
    const further = 1 + Math.floor(Math.random() * (ready.length - 1));
    const one = ready[at];
    const other = ready[(at + further) % ready.length];
    if (!one || !other) return null;
    return one.inFlight <= other.inFlight ? one : other;
  }

  /**
   * One look-up at a time: a silent name server blocks a look-up for many seconds, and the resolver
   * runs only a few at once, so one more every second would soon block all other look-ups of the
   * process.
   */
  async #refresh(): Promise<void> {
    if (this.#looking) return;
    this.#looking = true;
    const found = await this.#options.resolve(this.#options.address).finally(() => {
      this.#looking = false;
    });
    // A failed look-up is no reason to close working streams.
    if (this.#closed || found.length === 0) return;
    for (const address of found) {
      if (this.#replicas.has(address)) continue;
      this.#replicas.set(address, new StreamClient(address, this.#options));
    }
    for (const [address, replica] of this.#replicas) {
      if (found.includes(address)) continue;
      this.#replicas.delete(address);
      replica.close();
    }
  }
}
