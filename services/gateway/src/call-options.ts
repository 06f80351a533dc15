import type { CallOptions } from '@countersign/runtime/grpc-types';
import type { Context } from './context.js';
import type { RouteRequest } from './request.js';

export type Asking = Pick<RouteRequest, 'environment' | 'requestId' | 'deadlineAt' | 'trace'>;

/** Options of the calls that are made for a request; their deadline is that of the request. */
export function callOptions({ clock }: Pick<Context, 'clock'>, request: Asking): CallOptions {
  return {
    environment: request.environment,
    requestId: request.requestId,
    deadlineMs: Math.max(1, request.deadlineAt - clock()),
    trace: request.trace,
  };
}
