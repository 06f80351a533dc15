import type { Tenant } from '@countersign/proto/conventions';
import { refusal } from './refusal.js';

interface Owned {
  clientId: string;
  principalId: string;
}

const nobody: Tenant = { clientId: '', principalId: '' };

/**
 * Another client's thing does not exist; a sibling principal's exists but is not the caller's.
 * Returns the thing, so that a handler reads as one line.
 */
export function ownAgent<T extends Owned>(agent: T | null, tenant: Tenant | null): T {
  const { clientId, principalId } = tenant ?? nobody;
  if (!agent || agent.clientId !== clientId) throw refusal.agentNotFound();
  if (agent.principalId !== principalId) throw refusal.tenantMismatch('agent');
  return agent;
}

export function ownMandate<T extends Owned>(mandate: T | null, tenant: Tenant | null): T {
  const { clientId, principalId } = tenant ?? nobody;
  if (!mandate || mandate.clientId !== clientId) throw refusal.mandateNotFound();
  if (mandate.principalId !== principalId) throw refusal.tenantMismatch('mandate');
  return mandate;
}
