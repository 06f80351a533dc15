import { Fault } from '@countersign/kernel/fault';
import type { ActingPrincipals } from '../acting-principals.js';
import type { AnyRoute } from '../route.js';
import { type Check, identifiedOf, type Pipeline, type RequestContext } from './state.js';

/** For the call to identity. */
const deadlineMs = 3_000;

/**
 * Resolves the Principal that a runtime call acts for: that of a sandbox key, else the one named in
 * X-Principal-Id, else the Client's only one.
 */
export function resolveActingPrincipal(principals: ActingPrincipals, row: AnyRoute): Check {
  const needsStatus = needsVerified(row);
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
 * For /authorize the named Principal is only noted. Whether it belongs to the Client is checked by
 * the decision service, which asks identity about the agent anyway; without a name the Principal
 * follows from the agent.
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

/** A 403 for naming another Client's Principal comes before any error in the body. */
export function checkClaimOnError(pipeline: Pipeline): Check {
  return async (ctx) => {
    try {
      await pipeline(ctx);
    } catch (error) {
      await ctx.state.claim?.settle();
      throw error;
    }
  };
}

export function requireVerifiedPrincipal(row: AnyRoute): Check {
  const required = needsVerified(row);
  return (ctx) => {
    if (required && ctx.state.verificationStatus !== 'VERIFIED') {
      throw new Fault('forbidden', {
        code: 'KYC_REQUIRED',
        message: 'The Principal has not completed its verification.',
      });
    }
  };
}

/** Runtime writes need a verified Principal; reads do not. */
function needsVerified({ method, allowedWhileUnverified }: AnyRoute): boolean {
  return method !== 'GET' && allowedWhileUnverified !== true;
}

function namedInHeader(ctx: RequestContext): string | null {
  const header = ctx.req.headers['x-principal-id'];
  return typeof header === 'string' && header !== '' ? header : null;
}
