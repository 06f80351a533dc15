import type { SettlementDefinition } from '@countersign/proto/settlement';
import { tenantOf } from '@countersign/runtime/grpc/tenant';
import type { Handlers } from '@countersign/runtime/grpc-types';
import { readAuthorization } from '../approved.js';
import type { Context } from '../context.js';
import { enabledChains } from '../enabled-chains.js';
import { toRecord } from '../settlement.js';

/** Bounds the response; one authorization rarely has more than one settlement. */
const maxListed = 1_000;

/**
 * If there is no settlement, the ledger distinguishes an unknown authorization (an error) from
 * one without reports (an empty list).
 */
export function listSettlements(
  context: Context,
): Handlers<SettlementDefinition>['ListSettlements'] {
  return async (request, call) => {
    enabledChains(context, call);
    const { clientId, principalId } = tenantOf(request);
    const { authorizationId } = request;
    const rows = await context.stores[call.environment].prisma.settlement.findMany({
      where: { authorizationId, clientId, principalId },
      orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
      take: maxListed,
    });
    if (rows.length === 0) await readAuthorization(context, request, call);
    return { settlements: rows.map(toRecord) };
  };
}
