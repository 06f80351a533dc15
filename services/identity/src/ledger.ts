import { ledgerService } from '@countersign/proto/ledger';
import type { GrpcTransport } from '@countersign/runtime/grpc/transport';
import { createGrpcClient } from '@countersign/runtime/grpc-client';
import type { Metrics } from '@countersign/runtime/metrics';

interface ClientParts {
  transport: GrpcTransport;
  metrics: Metrics;
}

/** The ledger stores the fences; it is the only service that identity calls. */
export function createLedgerClient(address: string, parts: ClientParts) {
  return createGrpcClient({ service: ledgerService, address, ...parts });
}

export type LedgerClient = Pick<ReturnType<typeof createLedgerClient>, 'call' | 'close'>;
