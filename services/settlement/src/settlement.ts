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
    ...(row.blockNumber !== null && { blockNumber: row.blockNumber.toString() }),
    ...(row.settledAt && { settledAt: row.settledAt.toISOString() }),
    ...(row.failureReason !== null && { failureReason: row.failureReason }),
  };
}
