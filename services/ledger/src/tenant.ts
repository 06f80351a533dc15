import { Fault } from '@countersign/kernel/fault';
import type { Tenant } from '@countersign/proto/conventions';

/** Throws an internal fault without a tenant, which callers must always send. */
export function requiredTenant(tenant: Tenant | null | undefined): Tenant {
  if (tenant?.clientId && tenant.principalId) return tenant;
  throw new Fault('internal', { code: 'INTERNAL_ERROR', message: 'the call has no tenant' });
}
