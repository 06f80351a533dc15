import { perEnvironment } from '@countersign/kernel/environment';
import { type IdentityDefinition, identityService } from '@countersign/proto/identity';
import { type LedgerDefinition, ledgerService } from '@countersign/proto/ledger';
import { multiplexService } from '@countersign/proto/multiplex';
import { withBreaker } from '@countersign/runtime/breaker';
import { type GrpcClient, openGrpcClient } from '@countersign/runtime/grpc-client';
import type { Metrics } from '@countersign/runtime/metrics';

type ClientParts = Parameters<typeof openGrpcClient>[0];
type IdentityClient = GrpcClient<IdentityDefinition>;
export type LedgerClient = GrpcClient<LedgerDefinition>;

export function openIdentity(address: string, parts: ClientParts): IdentityClient {
  const streamed = { open: multiplexService.Open, methods: ['GetSpendingFacts'] };
  const identity = { name: 'identity', service: identityService, address, streamed };
  return connectedEarly(openGrpcClient<IdentityDefinition>(parts, identity));
}

/**
 * Without a circuit breaker: an open one would leave it unknown whether a decision was recorded.
 */
export function openLedger(address: string, parts: ClientParts): LedgerClient {
  const streamed = { open: multiplexService.Open, methods: ['Commit', 'FindReplay'] };
  const ledger = { name: 'ledger', service: ledgerService, address, streamed };
  return connectedEarly(openGrpcClient<LedgerDefinition>(parts, ledger));
}

const firstConnectionMs = 10_000;

/** Connects before the first request. Not awaited, since services may start in any order. */
function connectedEarly<D>(client: GrpcClient<D>): GrpcClient<D> {
  // On failure the first call that needs the connection makes it.
  client.ready(firstConnectionMs).catch(() => {});
  return client;
}

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
