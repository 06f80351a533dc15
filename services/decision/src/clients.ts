import { identityService } from '@countersign/proto/identity';
import { ledgerService } from '@countersign/proto/ledger';
import { multiplexService } from '@countersign/proto/multiplex';
import { withBreaker } from '@countersign/runtime/breaker';
import { createGrpcClient } from '@countersign/runtime/grpc-client';
import type { Metrics } from '@countersign/runtime/metrics';

export function createIdentityClient(address: string, metrics: Metrics) {
  const streamed = { open: multiplexService.Open, methods: ['GetSpendingFacts'] };
  return createGrpcClient({ service: identityService, address, metrics, streamed });
}

/** The ledger has no breaker: whether something is on record must be known, not guessed. */
export function createLedgerClient(address: string, metrics: Metrics) {
  const streamed = { open: multiplexService.Open, methods: ['Commit', 'FindReplay'] };
  return createGrpcClient({ service: ledgerService, address, metrics, streamed });
}

export type IdentityClient = ReturnType<typeof createIdentityClient>;
export type LedgerClient = ReturnType<typeof createLedgerClient>;
export type AskSpendingFacts = IdentityClient['call']['GetSpendingFacts'];

/** A read, so a breaker may answer for it: then the decision fails safe at once. */
export function guardedSpendingFacts(identity: IdentityClient, metrics: Metrics): AskSpendingFacts {
  return withBreaker(identity.call.GetSpendingFacts, { name: 'identity', metrics });
}
