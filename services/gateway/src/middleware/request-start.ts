import type { Clock } from '@countersign/kernel/clock';
import type { Tracer } from '@countersign/runtime/trace';
import { type Cidr, clientIp } from '../http/client-ip.js';
import { requestIdOf } from '../http/request-id.js';
import type { RequestContext } from './state.js';

interface Parts {
  clock: Clock;
  trustedProxies: readonly Cidr[];
  tracer: Tracer | null;
}

/**
 * Initialises the state of a request: address, time, and the id that logs and inner calls carry.
 */
export function startRequest({
  clock,
  trustedProxies,
  tracer,
}: Parts): (ctx: RequestContext) => void {
  return (ctx) => {
    const requestId = requestIdOf(ctx.req.headers['x-request-id']);
    ctx.state = {
      requestId,
      trace: tracer === null ? null : tracer.begin(ctx.req.headers),
      ip: clientIp(ctx.req, trustedProxies),
      startedAt: clock(),
      bodyMs: 0,
      namedPrincipalId: null,
      claim: null,
      admittedAt: null,
      bodyProblems: [],
      params: undefined,
      query: undefined,
      body: undefined,
      status: 404,
      headers: { 'X-Request-ID': requestId },
      text: null,
    };
  };
}
