import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { ClientOptions } from '@grpc/grpc-js';
import type { MethodDefinition } from '@grpc/proto-loader';
import type { CallOptions } from './grpc-types.js';
import { StreamClient } from './stream-client.js';
import type { Frames } from './stream-frames.js';

export interface BalancerOptions {
  /** `host:port`; every address the name resolves to is a replica with a stream of its own. */
  address: string;
  open: MethodDefinition<Frames, Frames, Frames, Frames>;
  channel: ClientOptions;
  /** How often the name is looked up again. */
  refreshMs?: number;
}

const defaultRefreshMs = 1_000;
/** More replicas than this are not kept streams to; those that are share the load. */
const maxReplicas = 64;

/**
 * Spreads calls over the replicas behind one name: of two picked at random, the one with fewer
 * calls under way. A new replica gets its share once it resolves, a broken stream none.
 */
export class StreamBalancer {
  readonly #options: BalancerOptions;
  readonly #replicas = new Map<string, StreamClient>();
  readonly #timer: NodeJS.Timeout;

  constructor(options: BalancerOptions) {
    this.#options = options;
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
    clearInterval(this.#timer);
    for (const replica of this.#replicas.values()) replica.close();
  }

  #pick(): StreamClient | null {
    const ready = [...this.#replicas.values()].filter((replica) => replica.ready);
    const one = ready[Math.floor(Math.random() * ready.length)];
    const other = ready[Math.floor(Math.random() * ready.length)];
    if (!one || !other) return null;
    return one.underWay <= other.underWay ? one : other;
  }

  async #refresh(): Promise<void> {
    const split = this.#options.address.lastIndexOf(':');
    const host = this.#options.address.slice(0, split);
    const port = this.#options.address.slice(split + 1);
    const found = await addressesOf(host);
    // A name that does not resolve at this moment says nothing about the streams that are up.
    if (found.length === 0) return;
    const wanted = new Set(found.slice(0, maxReplicas).map((ip) => `${bracketed(ip)}:${port}`));
    for (const address of wanted) {
      if (this.#replicas.has(address)) continue;
      const { open, channel } = this.#options;
      this.#replicas.set(address, new StreamClient(address, open, channel));
    }
    for (const [address, replica] of this.#replicas) {
      if (wanted.has(address)) continue;
      this.#replicas.delete(address);
      replica.close();
    }
  }
}

async function addressesOf(host: string): Promise<string[]> {
  if (isIP(host)) return [host];
  try {
    const found = await lookup(host, { all: true });
    // One family: `localhost` names the same server twice.
    const family = found[0]?.family;
    return found.filter((entry) => entry.family === family).map((entry) => entry.address);
  } catch {
    return [];
  }
}

function bracketed(ip: string): string {
  return isIP(ip) === 6 ? `[${ip}]` : ip;
}
