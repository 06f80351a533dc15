import { perEnvironment } from '@countersign/kernel/environment';
import { identityService } from '@countersign/proto/identity';
import { ledgerService } from '@countersign/proto/ledger';
import { multiplexService } from '@countersign/proto/multiplex';
import { withBreaker } from '@countersign/runtime/breaker';
import type { GrpcTransport } from '@countersign/runtime/grpc/transport';
import { createGrpcClient } from '@countersign/runtime/grpc-client';
import type { Metrics } from '@countersign/runtime/metrics';

interface ClientParts {
  transport: GrpcTransport;
  metrics: Metrics;
}

export function createIdentityClient(address: string, parts: ClientParts) {
  const streamed = { open: multiplexService.Open, methods: ['GetSpendingFacts'] };
  return createGrpcClient({ service: identityService, address, ...parts, streamed });
}

/**
 * Without a circuit breaker: an open one would leave it unknown whether a decision was recorded.
 */
export function createLedgerClient(address: string, parts: ClientParts) {
  const streamed = { open: multiplexService.Open, methods: ['Commit', 'FindReplay'] };
  return createGrpcClient({ service: ledgerService, address, ...parts, streamed });
}

export type IdentityClient = ReturnType<typeof createIdentityClient>;
export type LedgerClient = ReturnType<typeof createLedgerClient>;
export type AskSpendingFacts = IdentityClient['call']['GetSpendingFacts'];

/**
 * With a circuit breaker, since this only reads: while it is open, decisions fail safe at once. One
 * for each environment, since an outage of identity's sandbox database must not decline in live.
 */
export function guardedSpendingFacts(identity: IdentityClient, metrics: Metrics): AskSpendingFacts {
  const guarded = perEnvironment((environment) =>
    withBreaker(identity.call.GetSpendingFacts, { name: `identity_${environment}`, metrics }),
  );
  return (request, options) => guarded[options.environment](request, options);
}
