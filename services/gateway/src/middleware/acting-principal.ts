import { Fault } from '@countersign/kernel/fault';
import { type ActingPrincipals, notResolvable } from '../acting-principals.js';
import type { AnyRoute } from '../route.js';
import { type Check, identifiedOf, type RequestContext } from './state.js';

/** How long identity may take; on /authorize it must leave time for the decision. */
const runtimeDeadlineMs = 3_000;
const authorizeDeadlineMs = 500;

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
      deadlineMs: runtimeDeadlineMs,
    });
    ctx.state.actingPrincipalId = acting.principalId;
    ctx.state.verificationStatus = acting.verificationStatus;
  };
}

/**
 * For /authorize only a Principal that is named is settled here: without a name the agent decides,
 * and the decision service knows it. With identity away the decision fails safe, not the call.
 */
export function resolveNamedPrincipal(principals: ActingPrincipals): Check {
  return async (ctx) => {
    const { state } = ctx;
    const { caller } = identifiedOf(state);
    const inHeader = caller.principalId === null ? namedInHeader(ctx) : null;
    state.namedPrincipalId = caller.principalId;
    if (inHeader === null) return;
    try {
      const { principalId } = await principals.resolve({
        clientId: caller.clientId,
        principalId: inHeader,
        ownPrincipal: false,
        needsStatus: false,
        environment: caller.environment,
        requestId: state.requestId,
        deadlineMs: authorizeDeadlineMs,
      });
      state.namedPrincipalId = principalId;
    } catch (error) {
      if (!notResolvable(error)) throw error;
      // Named but not checked: whoever puts the fail-safe answer on record checks it first.
      state.namedPrincipalId = inHeader;
      state.unresolved = error;
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
