import type { Tenant } from '@countersign/proto/conventions';
import { refusal } from './refusal.js';

interface Owned {
  clientId: string;
  principalId: string;
}

const nobody: Tenant = { clientId: '', principalId: '' };

export function requireOwnAgent<T extends Owned>(agent: T | null, tenant: Tenant | null): T {
  return requireOwn(agent, tenant, 'agent');
}

export function requireOwnMandate<T extends Owned>(mandate: T | null, tenant: Tenant | null): T {
  return requireOwn(mandate, tenant, 'mandate');
}

/**
 * An entity of another client must not be disclosed, so it is reported as not found. One of
 * another principal of the same client is reported as forbidden.
 */
function requireOwn<T extends Owned>(
  entity: T | null,
  tenant: Tenant | null,
  kind: 'agent' | 'mandate',
): T {
  const { clientId, principalId } = tenant ?? nobody;
  if (!entity || entity.clientId !== clientId) {
    throw kind === 'agent' ? refusal.agentNotFound() : refusal.mandateNotFound();
  }
  if (entity.principalId !== principalId) throw refusal.tenantMismatch(kind);
  return entity;
}
