import { Fault } from '@countersign/kernel/fault';
import type { ActingPrincipals } from '../acting-principals.js';
import type { AnyRoute } from '../route.js';
import { type Check, identifiedOf, type RequestContext, type Way } from './state.js';

/** How long identity may take. */
const deadlineMs = 3_000;

/**
 * For whom a runtime call is made: the Principal of a sandbox key, else the one the header names,
 * else the Client's only one.
 */
export function resolveActingPrincipal(principals: ActingPrincipals, row: AnyRoute): Check {
  const needsStatus = row.method !== 'GET' && row.allowedWhileUnverified !== true;
  return async (ctx) => {
    const { caller } = identifiedOf(ctx.state);
    const named = caller.principalId ?? namedInHeader(ctx);
    const acting = await principals.resolve({
      clientId: caller.clientId,
      principalId: named,
      ownPrincipal: caller.principalId !== null,
      needsStatus,
      environment: caller.environment,
      requestId: ctx.state.requestId,
      trace: ctx.state.trace,
      deadlineMs,
    });
    ctx.state.actingPrincipalId = acting.principalId;
    ctx.state.verificationStatus = acting.verificationStatus;
  };
}

/**
 * For /authorize the decision service finds out whose a named Principal is, since it asks identity
 * about the agent anyway; and without a name the agent decides. Here it is only noted.
 */
export function notePrincipal(principals: ActingPrincipals): Check {
  return (ctx) => {
    const { state } = ctx;
    const { caller } = identifiedOf(state);
    const { clientId, environment, principalId } = caller;
    const named = principalId ?? namedInHeader(ctx);
    if (named !== null && principalId === null) {
      const { requestId, trace } = state;
      state.claim = principals.claim({ clientId, environment, requestId, trace }, named);
    }
    if (!state.claim) state.namedPrincipalId = named;
  };
}

/** Whoever names somebody else's Principal is told so before anything is said of the body. */
export function claimFirst(way: Way): Check {
  return async (ctx) => {
    try {
      await way(ctx);
    } catch (error) {
      await ctx.state.claim?.settle();
      throw error;
    }
  };
}

/** Runtime writes wait for the Principal's verification; reads never do. */
export function requireVerifiedPrincipal(row: AnyRoute): Check {
  const required = row.method !== 'GET' && row.allowedWhileUnverified !== true;
  return (ctx) => {
    if (required && ctx.state.verificationStatus !== 'VERIFIED') {
      throw new Fault('forbidden', {
        code: 'KYC_REQUIRED',
        message: 'The Principal has not completed its verification.',
      });
    }
  };
}

function namedInHeader(ctx: RequestContext): string | null {
  const header = ctx.req.headers['x-principal-id'];
  return typeof header === 'string' && header !== '' ? header : null;
}
