import type { Clock } from '@countersign/kernel/clock';
import { Fault } from '@countersign/kernel/fault';
import { setRateHeaders, wholeSeconds } from '../authentication/rate-limits.js';
import { type Check, identifiedOf } from './state.js';

/** Sets the X-RateLimit headers on every authenticated answer, refusals included. */
export function exposeRateLimit(clock: Clock): Check {
  return ({ state }) => {
    const { rate } = identifiedOf(state);
    if (rate) setRateHeaders(state.headers, rate, clock());
  };
}

export const checkRateLimit: Check = (ctx) => {
  const { rate } = identifiedOf(ctx.state);
  if (rate && !rate.allowed) {
    throw new Fault('exhausted', {
      message: 'Too many requests with this credential; wait before trying again.',
      retryAfterSeconds: wholeSeconds(rate.oneInMs),
    });
  }
};
