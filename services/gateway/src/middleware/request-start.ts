import { randomUUID } from 'node:crypto';
import type { Clock } from '@countersign/kernel/clock';
import { type Cidr, clientIp } from '../client-ip.js';
import type { Check } from './state.js';

const visibleAscii = /^[\x21-\x7e]{1,128}$/;

/** The id a caller sent, if it is one, else a new one. */
export function requestIdOf(header: string | string[] | undefined): string {
  if (typeof header === 'string' && visibleAscii.test(header)) return header;
  return `req_${randomUUID()}`;
}

/** Who asks, when, and under which id: in every log line, every answer and every inner call. */
export function startRequest(clock: Clock, trustedProxies: readonly Cidr[]): Check {
  return (ctx, next) => {
    const { state } = ctx;
    state.requestId = requestIdOf(ctx.req.headers['x-request-id']);
    state.ip = clientIp(ctx.req, trustedProxies);
    state.startedAt = clock();
    state.namedPrincipalId = null;
    state.unresolved = null;
    state.bodyProblems = [];
    ctx.set('X-Request-ID', state.requestId);
    return next();
  };
}
