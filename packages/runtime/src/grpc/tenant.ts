import { Fault } from '@countersign/kernel/fault';

interface Tenant {
  clientId: string;
  principalId: string;
}

/** The tenant of a call; a call without one is a bug, not a mistake of the caller. */
export function tenantOf<T extends Tenant>({ tenant }: { tenant?: T | null }): T {
  if (tenant?.clientId && tenant.principalId) return tenant;
  throw new Fault('internal', { message: 'the call has no tenant' });
}
