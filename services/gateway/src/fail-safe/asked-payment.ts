import type { AuthorizeMessage } from '../messages/payment.js';
import type { RouteRequest } from '../request.js';

/** A payment that waits for its decision. */
export interface AskedPayment {
  request: Pick<RouteRequest, 'environment' | 'requestId' | 'deadlineAt' | 'trace'>;
  message: AuthorizeMessage;
  /** Epoch milliseconds, of the context's clock. */
  arrivedAt: number;
}

/**
 * The idempotency key with its owner, as far as the gateway knows the owner: the Principal, or the
 * agent, whose Principal it will be. Null where no key was sent.
 */
export function keyScope({ request, message }: AskedPayment): string | null {
  const { clientId, principalId, claimedPrincipalId, payment } = message;
  if (payment.idempotencyKey === undefined) return null;
  const owner = principalId ?? claimedPrincipalId ?? payment.agentId ?? payment.agentDid ?? '';
  return [request.environment, clientId, owner, payment.idempotencyKey].join(' ');
}
