import { Fault } from '@countersign/kernel/fault';
import type { Tenant } from '../request.js';

/** A body may name the acting Principal once more, but no other. */
export function ownPrincipalOnly(tenant: Tenant, named: string | undefined): void {
  if (named === undefined || named === tenant.principalId) return;
  throw new Fault('forbidden', {
    code: 'TENANT_MISMATCH',
    message: 'principal_id must be the acting Principal.',
  });
}
