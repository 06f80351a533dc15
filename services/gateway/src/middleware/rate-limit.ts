import type { Clock } from '@countersign/kernel/clock';
import { Fault } from '@countersign/kernel/fault';
import { type RateState, retryAfterSeconds } from '../authentication/rate-limits.js';
import { type Check, identifiedOf } from './state.js';

/** What the bucket holds, on every authenticated answer, refusals included. */
export function tellRateLimit(clock: Clock): Check {
  return ({ state }) => {
    const { rate } = identifiedOf(state);
    if (rate) tellRate(state.headers, rate, clock());
  };
}

export const checkRateLimit: Check = (ctx) => {
  const { rate } = identifiedOf(ctx.state);
  if (rate && !rate.allowed) {
    throw new Fault('exhausted', {
      code: 'RATE_LIMITED',
      message: 'Too many requests with this credential; wait before trying again.',
      retryAfterSeconds: retryAfterSeconds(rate),
    });
  }
};

/** Reset is the second of the Unix clock at which the bucket is full again. */
function tellRate(headers: Record<string, string>, rate: RateState, now: number): void {
  headers['X-RateLimit-Limit'] = String(rate.limit);
  headers['X-RateLimit-Remaining'] = String(rate.remaining);
  headers['X-RateLimit-Reset'] = String(Math.ceil((now + rate.fullInMs) / 1_000));
}
