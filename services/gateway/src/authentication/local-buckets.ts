import type { Clock } from '@countersign/kernel/clock';
import { BoundedMap } from '@countersign/runtime/bounded-map';
import type { RateLimit, RateState } from './rate-limits.js';

const maxBuckets = 20_000;

/**
 * Token buckets of this replica alone, for as long as Redis is away: the limit is then a replica's
 * and not the system's, but the door is never open.
 */
export class LocalBuckets {
  readonly #buckets = new BoundedMap<string, { tokens: number; at: number }>(maxBuckets);
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Takes one, or none for who only wants to know. */
  take(key: string, limit: RateLimit, wanted: 0 | 1 = 1): RateState {
    const now = this.#clock();
    const perMs = limit.perSecond / 1_000;
    const bucket = this.#buckets.get(key) ?? { tokens: limit.burst, at: now };
    let tokens = Math.min(limit.burst, bucket.tokens + Math.max(0, now - bucket.at) * perMs);
    const allowed = tokens >= wanted;
    if (allowed) tokens -= wanted;
    this.#buckets.set(key, { tokens, at: now });
    return {
      allowed,
      limit: limit.burst,
      remaining: Math.floor(tokens),
      fullInMs: Math.ceil((limit.burst - tokens) / perMs),
      oneInMs: tokens >= 1 ? 0 : Math.ceil((1 - tokens) / perMs),
    };
  }
}
