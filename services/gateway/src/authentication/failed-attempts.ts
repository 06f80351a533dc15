import type { Clock } from '@countersign/kernel/clock';
import { BoundedMap } from '@countersign/runtime/bounded-map';
import type { Metrics } from '@countersign/runtime/metrics';
import type { Redis } from '@countersign/runtime/redis';
import { networkOf } from '../http/client-ip.js';
import type { Refused } from './rate-limits.js';
import { attemptsScript } from './redis-scripts.js';

const allowedAttempts = 10;
const windowMs = 5 * 60_000;
const maxAddresses = 20_000;

interface Scripts {
  attempts(key: string, add: '0' | '1', windowMs: number): Promise<[number, number]>;
}

interface Options {
  redis: Redis;
  metrics: Metrics;
  clock: Clock;
  multiplier: number;
}

/**
 * Throttles addresses with many failed authentications, across all replicas. It protects the
 * database from look-ups, not the keys, which are too long to be guessed. So it is asked before a
 * look-up only: callers whose credential this replica has cached are not affected by others behind
 * the same address.
 */
export class FailedAttempts {
  readonly #scripts: Scripts;
  readonly #options: Options;
  readonly #local = new BoundedMap<string, { count: number; until: number }>(maxAddresses);

  constructor(options: Options) {
    options.redis.defineCommand('attempts', { numberOfKeys: 1, lua: attemptsScript });
    this.#scripts = options.redis as unknown as Scripts;
    this.#options = options;
  }

  /** The limit that the address has met; null when it may try. */
  async blocked(ip: string): Promise<Refused | null> {
    const limit = this.#allowed;
    if (limit === 0) return null;
    const [count, waitMs] = await this.#ask(networkOf(ip), '0');
    return count >= limit ? { limit, waitMs } : null;
  }

  /** Counts a failure. Returns the limit, like `blocked`, where that was one too many. */
  async count(ip: string): Promise<Refused | null> {
    const limit = this.#allowed;
    if (limit === 0) return null;
    const [count, waitMs] = await this.#ask(networkOf(ip), '1');
    return count > limit ? { limit, waitMs } : null;
  }

  get #allowed(): number {
    return Math.ceil(allowedAttempts * this.#options.multiplier);
  }

  async #ask(address: string, add: '0' | '1'): Promise<[number, number]> {
    const local = this.#countHere(address, add);
    try {
      this.#options.metrics.roundTrip('redis');
      const shared = await this.#scripts.attempts(`attempts:{${address}}`, add, windowMs);
      return local[0] > shared[0] ? local : shared;
    } catch {
      return local;
    }
  }

  /**
   * Counted in memory as well, so that the limit still holds when Redis goes away, and when it
   * comes back without what was counted meanwhile, or before.
   */
  #countHere(address: string, add: '0' | '1'): [number, number] {
    const now = this.#options.clock();
    const kept = this.#local.get(address);
    const leftMs = kept ? kept.until - now : 0;
    // More than a whole window is left where the clock was set back.
    const holds = leftMs > 0 && leftMs <= windowMs;
    const entry = kept && holds ? kept : { count: 0, until: now + windowMs };
    if (add === '1') {
      entry.count += 1;
      this.#local.set(address, entry);
    }
    return [entry.count, entry.until - now];
  }
}
