import { Fault } from '@countersign/kernel/fault';
import type { Admission } from '../admission.js';
import type { Company } from '../company.js';
import type { Check, RequestContext, Way } from './state.js';

/** One for all: making an error, with its stack, would be a large part of what a refusal costs. */
const atCapacity = new Fault('exhausted', {
  code: 'RATE_LIMITED',
  message: 'The service is at its capacity; nothing was decided, try again.',
  retryAfterSeconds: 1,
});

/** What all authorizations of this process share. */
export interface Crowd {
  admission: Admission;
  company: Company;
}

/** Before anything is done for a request: under overload a refusal must cost next to nothing. */
export function admitted({ admission, company }: Crowd, way: Way): Way {
  return async (ctx) => {
    enter(ctx, admission);
    try {
      await company.join(admission.underWay);
      await way(ctx);
    } finally {
      const { admittedAt } = ctx.state;
      if (admittedAt !== null) admission.leave(admittedAt);
    }
  };
}

/**
 * Whoever waits for what a caller has yet to send holds no place meanwhile: callers who are slow
 * could else keep all of them, and would be taken for a service that is.
 */
export function standingAside({ admission }: Crowd, check: Check): Check {
  return async (ctx) => {
    const { admittedAt } = ctx.state;
    if (admittedAt === null) throw new Error('only who is admitted can step aside');
    ctx.state.admittedAt = null;
    const spentMs = admission.stepAside(admittedAt);
    await check(ctx);
    enter(ctx, admission, spentMs);
  };
}

function enter({ state }: RequestContext, admission: Admission, spentMs = 0): void {
  state.admittedAt = admission.enter(spentMs);
  if (state.admittedAt !== null) return;
  state.headers['X-RateLimit-Limit'] = String(admission.limit);
  throw atCapacity;
}
