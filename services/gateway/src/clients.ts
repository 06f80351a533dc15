import { type DecisionDefinition, decisionService } from '@countersign/proto/decision';
import { type IdentityDefinition, identityService } from '@countersign/proto/identity';
import { type LedgerDefinition, ledgerService } from '@countersign/proto/ledger';
import { multiplexService } from '@countersign/proto/multiplex';
import { type NotifierDefinition, notifierService } from '@countersign/proto/notifier';
import { type SettlementDefinition, settlementService } from '@countersign/proto/settlement';
import { grpcTransport } from '@countersign/runtime/grpc/transport';
import { createGrpcClient } from '@countersign/runtime/grpc-client';
import type { Lifecycle } from '@countersign/runtime/lifecycle';
import type { Metrics } from '@countersign/runtime/metrics';
import type { Config } from './config.js';

/** The five services behind the edge. What may be sent to them twice is said by their contracts. */
export function createClients(config: Config, metrics: Metrics, lifecycle: Lifecycle) {
  const parts = { transport: grpcTransport(config), metrics };
  const clients = {
    identity: createGrpcClient<IdentityDefinition>({
      service: identityService,
      address: config.identityAddress,
      ...parts,
      streamed: { open: multiplexService.Open, methods: ['ResolveActingPrincipal'] },
    }),
    decision: createGrpcClient<DecisionDefinition>({
      service: decisionService,
      address: config.decisionAddress,
      ...parts,
      streamed: { open: multiplexService.Open, methods: ['Authorize'] },
    }),
    ledger: createGrpcClient<LedgerDefinition>({
      service: ledgerService,
      address: config.ledgerAddress,
      ...parts,
    }),
    notifier: createGrpcClient<NotifierDefinition>({
      service: notifierService,
      address: config.notifierAddress,
      ...parts,
    }),
    settlement: createGrpcClient<SettlementDefinition>({
      service: settlementService,
      address: config.settlementAddress,
      ...parts,
    }),
  };
  lifecycle.onShutdown('grpc clients', () => {
    for (const client of Object.values(clients)) client.close();
  });
  return clients;
}

export type Clients = ReturnType<typeof createClients>;
