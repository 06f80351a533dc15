import { Fault } from '@countersign/kernel/fault';
import type { SettlementRecord } from '@countersign/proto/settlement';
import type { Call } from '@countersign/runtime/grpc-types';
import type { Chain } from './chain.js';
import type { Context } from './context.js';
import type { Settlement } from './generated/prisma/client.js';

export function toRecord(row: Settlement): SettlementRecord {
  return {
    id: row.id,
    authorizationId: row.authorizationId,
    chain: row.chain,
    txHash: row.txHash,
    status: row.status,
    confirmations: row.confirmations,
    requiredConfirmations: row.requiredConfirmations,
    createdAt: row.createdAt.toISOString(),
    ...(row.blockNumber !== null && { blockNumber: row.blockNumber.toString() }),
    ...(row.settledAt && { settledAt: row.settledAt.toISOString() }),
    ...(row.failureReason !== null && { failureReason: row.failureReason }),
  };
}

/** The chains of the environment; throws 403 if there are none. */
export function enabledChains(context: Context, call: Call): ReadonlyMap<string, Chain> {
  const chains = context.chains[call.environment];
  if (chains.size > 0) return chains;
  throw new Fault('forbidden', {
    code: 'ERROR',
    message: 'The crypto rail is not enabled in this environment.',
  });
}
