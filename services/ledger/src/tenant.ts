import { Fault } from '@countersign/kernel/fault';
import type { Tenant } from '@countersign/proto/conventions';

/** Every call about a Principal's records says whose they are; one that does not is our mistake. */
export function requiredTenant(tenant: Tenant | null | undefined): Tenant {
  if (tenant?.clientId && tenant.principalId) return tenant;
  throw new Fault('internal', { code: 'INTERNAL_ERROR', message: 'no tenant was named' });
}
