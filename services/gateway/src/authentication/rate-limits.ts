import type { Environment, PerEnvironment } from '@countersign/kernel/environment';
import type { RateGroup } from '../request.js';

/** A token bucket: it holds `burst` and gains `perSecond`. */
export interface RateLimit {
  perSecond: number;
  burst: number;
}

const bucket = (perSecond: number, burst: number): RateLimit => ({ perSecond, burst });

const limits: Record<Exclude<RateGroup, 'none'>, PerEnvironment<RateLimit>> = {
  authorize: { live: bucket(100, 200), sandbox: bucket(25, 50) },
  write: { live: bucket(20, 40), sandbox: bucket(5, 10) },
  read: { live: bucket(50, 100), sandbox: bucket(25, 50) },
  // Ten a minute for each client id, wherever its secret is sent from, and for each network that
  // sends one, right or wrong.
  token: { live: bucket(10 / 60, 10), sandbox: bucket(10 / 60, 10) },
};

/** The bucket as it is published, before any multiplier; null where there is none. */
export function rateLimit(group: RateGroup, environment: Environment): RateLimit | null {
  return group === 'none' ? null : limits[group][environment];
}

/** Null where the multiplier turns the limit off. A bucket always holds at least one call. */
export function scaledLimit(limit: RateLimit | null, multiplier: number): RateLimit | null {
  if (!limit || multiplier === 0) return null;
  return {
    perSecond: limit.perSecond * multiplier,
    burst: Math.max(1, Math.floor(limit.burst * multiplier)),
  };
}

interface RateLeft {
  limit: number;
  remaining: number;
  /** Milliseconds until all of it may be used again. */
  fullInMs: number;
}

/** What a request was told about its bucket. */
export interface RateState extends RateLeft {
  allowed: boolean;
  /** Milliseconds until the bucket holds one. */
  oneInMs: number;
}

/** A limit that was met. */
export interface Refused {
  limit: number;
  waitMs: number;
  /** Where not all of it comes back at once. */
  fullInMs?: number;
}

/** Where limits are off the headers still come, and say that nothing was used. */
export function unlimited(limit: RateLimit | null): RateState | null {
  if (!limit) return null;
  return { allowed: true, limit: limit.burst, remaining: limit.burst, fullInMs: 0, oneInMs: 0 };
}

/** Of a wait: never less than it takes. */
export function wholeSeconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1_000));
}

/** Reset is the second of the Unix clock at which the bucket is full again. */
export function setRateHeaders(headers: Record<string, string>, rate: RateLeft, now: number): void {
  headers['X-RateLimit-Limit'] = String(rate.limit);
  headers['X-RateLimit-Remaining'] = String(rate.remaining);
  headers['X-RateLimit-Reset'] = String(Math.ceil((now + rate.fullInMs) / 1_000));
}

/** The headers of a refusal: nothing may come before `waitMs` have passed. */
export function refusedHeaders(refused: Refused, now: number): Record<string, string> {
  const { limit, waitMs, fullInMs = waitMs } = refused;
  const headers = { 'Retry-After': String(wholeSeconds(waitMs)) };
  setRateHeaders(headers, { limit, remaining: 0, fullInMs }, now);
  return headers;
}
