import { randomUUID } from 'node:crypto';
import type { Clock } from '@countersign/kernel/clock';
import { type Cidr, clientIp } from '../client-ip.js';
import type { RequestContext } from './state.js';

const visibleAscii = /^[\x21-\x7e]{1,128}$/;

/** The id a caller sent, if it is one, else a new one. */
export function requestIdOf(header: string | string[] | undefined): string {
  if (typeof header === 'string' && visibleAscii.test(header)) return header;
  return `req_${randomUUID()}`;
}

/** Who asks, when, and under which id: in every log line, every answer and every inner call. */
export function startRequest(
  clock: Clock,
  trustedProxies: readonly Cidr[],
): (ctx: RequestContext) => void {
  return (ctx) => {
    const requestId = requestIdOf(ctx.req.headers['x-request-id']);
    ctx.state = {
      requestId,
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
