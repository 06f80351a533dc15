import { isoTime } from '@countersign/kernel/clock';
import { notFound } from '@countersign/kernel/fault';
import type { LedgerDefinition } from '@countersign/proto/ledger';
import type { Handlers } from '@countersign/runtime/grpc-types';
import type { Context } from '../context.js';

/** Not restricted to a tenant: only the operator asks, who has no more than the id. */
export function findOwner(context: Context): Handlers<LedgerDefinition>['FindOwner'] {
  return async ({ authorizationId }, { environment }) => {
    const found = await context.stores[environment].prisma.authorizationRecord.findUnique({
      where: { id: authorizationId },
      select: { clientId: true, principalId: true, agentId: true, createdAt: true },
    });
    if (!found) throw notFound('NOT_FOUND', 'There is no such authorization.');
    const { clientId, principalId, agentId, createdAt } = found;
    return {
      authorizationId,
      clientId,
      principalId,
      agentId: agentId ?? undefined,
      createdAt: isoTime(createdAt.getTime()),
    };
  };
}
