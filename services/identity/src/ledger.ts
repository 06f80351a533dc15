import { ledgerService } from '@countersign/proto/ledger';
import { createGrpcClient } from '@countersign/runtime/grpc-client';
import type { Metrics } from '@countersign/runtime/metrics';

/** The ledger stores the fences; it is the only service that identity calls. */
export function createLedgerClient(address: string, metrics: Metrics) {
  return createGrpcClient({ service: ledgerService, address, metrics });
}

export type LedgerClient = Pick<ReturnType<typeof createLedgerClient>, 'call' | 'close'>;
