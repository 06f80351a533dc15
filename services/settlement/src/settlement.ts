import type { SettlementRecord } from '@countersign/proto/settlement';
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
    blockNumber: row.blockNumber?.toString(),
    settledAt: row.settledAt?.toISOString(),
    failureReason: row.failureReason ?? undefined,
  };
}
