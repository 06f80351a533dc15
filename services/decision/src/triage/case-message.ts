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

/** Not found for a case of another Client; mismatch for another Principal of the same Client. */
export function ownCase(found: FraudCase | null, tenant: Tenant): FraudCase {
  if (!found || found.clientId !== tenant.clientId) throw notFound('NOT_FOUND', 'No such case.');
  if (found.principalId === tenant.principalId) return found;
  throw new Fault('forbidden', {
    code: 'TENANT_MISMATCH',
    message: 'The case belongs to another Principal.',
  });
}
