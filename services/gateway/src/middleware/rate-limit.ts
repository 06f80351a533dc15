import type { Clock } from '@countersign/kernel/clock';
import { Fault } from '@countersign/kernel/fault';
import { retryAfterSeconds, tellRate } from '../authentication/rate-limits.js';
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
