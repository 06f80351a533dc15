import { ledgerService } from '@countersign/proto/ledger';
import { createGrpcClient } from '@countersign/runtime/grpc-client';
import type { Metrics } from '@countersign/runtime/metrics';

/** The one service that identity calls: the ledger holds the fences. */
export function createLedgerClient(address: string, metrics: Metrics) {
  return createGrpcClient({ service: ledgerService, address, metrics });
}

export type LedgerClient = Pick<ReturnType<typeof createLedgerClient>, 'call' | 'close'>;
