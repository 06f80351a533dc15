import { Fault } from '@countersign/kernel/fault';
import type { Admission } from '../admission.js';
import type { Company } from '../company.js';
import type { Way } from './state.js';

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
    const startedAt = admission.enter();
    if (startedAt === null) {
      ctx.state.headers['X-RateLimit-Limit'] = String(admission.limit);
      throw atCapacity;
    }
    try {
      await company.join(admission.underWay);
      await way(ctx);
    } finally {
      admission.leave(startedAt);
    }
  };
}
