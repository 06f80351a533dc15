import { type DecisionDefinition, decisionService } from '@countersign/proto/decision';
import { type IdentityDefinition, identityService } from '@countersign/proto/identity';
import { type LedgerDefinition, ledgerService } from '@countersign/proto/ledger';
import { multiplexService } from '@countersign/proto/multiplex';
import { type NotifierDefinition, notifierService } from '@countersign/proto/notifier';
import { type SettlementDefinition, settlementService } from '@countersign/proto/settlement';
import { grpcTransport } from '@countersign/runtime/grpc/transport';
import { openGrpcClient } from '@countersign/runtime/grpc-client';
import type { Lifecycle } from '@countersign/runtime/lifecycle';
import type { Metrics } from '@countersign/runtime/metrics';
import type { Config } from './config.js';

/** The five services behind the edge. What may be sent to them twice is said by their contracts. */
export function createClients(config: Config, metrics: Metrics, lifecycle: Lifecycle) {
  const parts = { transport: grpcTransport(config), metrics, lifecycle };
  return {
    identity: openGrpcClient<IdentityDefinition>(parts, {
      name: 'identity',
      service: identityService,
      address: config.identityAddress,
      streamed: { open: multiplexService.Open, methods: ['ResolveActingPrincipal'] },
    }),
    decision: openGrpcClient<DecisionDefinition>(parts, {
      name: 'decision',
      service: decisionService,
      address: config.decisionAddress,
      streamed: { open: multiplexService.Open, methods: ['Authorize'] },
    }),
    ledger: openGrpcClient<LedgerDefinition>(parts, {
      name: 'ledger',
      service: ledgerService,
      address: config.ledgerAddress,
    }),
    notifier: openGrpcClient<NotifierDefinition>(parts, {
      name: 'notifier',
      service: notifierService,
      address: config.notifierAddress,
    }),
    settlement: openGrpcClient<SettlementDefinition>(parts, {
      name: 'settlement',
      service: settlementService,
      address: config.settlementAddress,
    }),
  };
}

export type Clients = ReturnType<typeof createClients>;
