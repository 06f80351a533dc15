import type { CallOptions } from '@countersign/runtime/grpc-types';
import type { RouteRequest } from './request.js';

type Asking = Pick<RouteRequest, 'environment' | 'requestId' | 'deadlineAt' | 'trace'>;

/** For a call that is made at this moment: it may take what is left of its request's time. */
export function callOptions(asking: Asking, now: number): CallOptions {
  const { environment, requestId, deadlineAt, trace } = asking;
  return { environment, requestId, deadlineMs: Math.max(1, deadlineAt - now), trace };
}
