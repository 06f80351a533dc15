import type { SettlementRecord } from '@countersign/proto/settlement';

export function settlementView(settlement: SettlementRecord) {
  return {
    id: settlement.id,
    authorization_id: settlement.authorizationId,
    chain: settlement.chain,
    tx_hash: settlement.txHash,
    status: settlement.status,
    confirmations: settlement.confirmations,
    block_number: settlement.blockNumber === undefined ? null : Number(settlement.blockNumber),
    settled_at: settlement.settledAt ?? null,
    created_at: settlement.createdAt,
    required_confirmations: settlement.requiredConfirmations,
    failure_reason: settlement.failureReason ?? null,
  };
}
