import { Fault, notFound } from '@countersign/kernel/fault';
import type { Tenant } from '@countersign/proto/conventions';
import type { FraudCaseInput } from '@countersign/proto/decision';
import type { FraudCase } from './case.js';

export function caseMessage(known: FraudCase): FraudCaseInput {
  const { id, authorizationId, agentId, severity, signals, amount, currency, status } = known;
  return {
    id,
    authorizationId,
    agentId,
    severity,
    signals,
    amount,
    currency,
    status,
    ...(known.resolution !== null && { resolution: known.resolution }),
    ...(known.resolvedBy !== null && { resolvedBy: known.resolvedBy }),
    ...(known.resolvedAt !== null && { resolvedAt: known.resolvedAt }),
    createdAt: known.createdAt,
  };
}

/** Every call about cases says whose they are; one that does not is our mistake. */
export function requiredTenant(tenant: Tenant | null): Tenant {
  if (tenant?.clientId && tenant.principalId) return tenant;
  throw new Fault('internal', { code: 'INTERNAL_ERROR', message: 'no tenant was named' });
}

/** Another Client's case is as unknown as one that does not exist; a sibling's is a mismatch. */
export function ownCase(found: FraudCase | null, tenant: Tenant): FraudCase {
  if (!found || found.clientId !== tenant.clientId) throw notFound('NOT_FOUND', 'No such case.');
  if (found.principalId === tenant.principalId) return found;
  throw new Fault('forbidden', {
    code: 'TENANT_MISMATCH',
    message: 'The case belongs to another Principal.',
  });
}
