import type { Clock } from '@countersign/kernel/clock';
import { BoundedMap } from '@countersign/runtime/bounded-map';
import type { RateLimit, RateState } from './rate-limits.js';

const maxBuckets = 20_000;

/**
 * Token buckets in memory, while Redis is away: the limit then holds for each replica instead of
 * for all together, but there always is one.
 */
export class LocalBuckets {
  readonly #buckets = new BoundedMap<string, { tokens: number; at: number }>(maxBuckets);
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Takes a token, or none to only read the bucket. */
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
