import type { SettlementDefinition } from '@countersign/proto/settlement';
import type { Handlers } from '@countersign/runtime/grpc-types';
import type { Context } from '../context.js';
import { enabledChains, tenantOf, toRecord } from '../settlement.js';

/** More than anybody reports for one authorization. */
const maxListed = 1_000;

/** The ledger says whether the authorization is theirs: nothing reported is an empty list. */
export function listSettlements(
  context: Context,
): Handlers<SettlementDefinition>['ListSettlements'] {
  return async (request, call) => {
    enabledChains(context, call);
    const { clientId, principalId } = tenantOf(request);
    const { authorizationId } = request;
    const rows = await context.prisma[call.environment].settlement.findMany({
      where: { authorizationId, clientId, principalId },
      orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
      take: maxListed,
    });
    if (rows.length === 0) {
      const { environment, requestId, deadlineAt, trace } = call;
      const deadlineMs = Math.max(1, deadlineAt - Date.now());
      const tenant = { clientId, principalId };
      const options = { environment, requestId, deadlineMs, trace };
      await context.ledger.call.GetAuthorization({ tenant, authorizationId }, options);
    }
    return { settlements: rows.map(toRecord) };
  };
}
