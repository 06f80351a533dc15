import { Fault } from '@countersign/kernel/fault';
import type { Tenant } from '@countersign/proto/conventions';

/**
 * The tenant of a call about a Principal's records; a call without one is a defect of its caller.
 */
export function requiredTenant(tenant: Tenant | null | undefined): Tenant {
  if (tenant?.clientId && tenant.principalId) return tenant;
  throw new Fault('internal', { code: 'INTERNAL_ERROR', message: 'no tenant was named' });
}
