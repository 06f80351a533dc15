import { Fault } from '@countersign/kernel/fault';
import type { RouteRequest } from '../request.js';

/** A convenience that must never exist in live. */
export function sandboxOnly({ environment }: Pick<RouteRequest, 'environment'>): void {
  if (environment === 'sandbox') return;
  throw new Fault('forbidden', {
    code: 'sandbox_only',
    message: 'This exists only in the sandbox; use a svc_test_ key.',
  });
}
