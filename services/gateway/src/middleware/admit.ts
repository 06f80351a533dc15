import { Fault } from '@countersign/kernel/fault';
import type { Admission } from '../admission/admission.js';
import type { DispatchPacer } from '../admission/dispatch-pacer.js';
import type { Check, Pipeline, RequestContext } from './state.js';

/** Made once: creating an error with its stack would be most of what a refusal costs. */
const atCapacity = new Fault('exhausted', {
  message: 'The service is at its capacity; nothing was decided, try again.',
  retryAfterSeconds: 1,
});

/** Load control, shared by all authorizations of this process. */
export interface LoadControl {
  admission: Admission;
  pacer: DispatchPacer;
}

/** Runs the pipeline once a slot is free. Comes first: a refusal under overload must be cheap. */
export function admitted({ admission, pacer }: LoadControl, pipeline: Pipeline): Pipeline {
  return async (ctx) => {
    enter(ctx, admission);
    try {
      await pacer.next(admission.inFlight);
      await pipeline(ctx);
    } finally {
      const { admittedAt } = ctx.state;
      if (admittedAt !== null) admission.leave(admittedAt);
    }
  };
}

/**
 * Gives the slot up while a check waits for the caller to send its body. Otherwise slow senders
 * could hold every slot, and their waiting would be measured as slowness of this service.
 */
export function withoutSlot({ admission }: LoadControl, check: Check): Check {
  return async (ctx) => {
    const { admittedAt } = ctx.state;
    if (admittedAt === null) throw new Error('only an admitted request has a slot to give up');
    ctx.state.admittedAt = null;
    const spentMs = admission.suspend(admittedAt);
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
