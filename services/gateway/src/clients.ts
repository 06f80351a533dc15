import { type DecisionDefinition, decisionService } from '@countersign/proto/decision';
import { type IdentityDefinition, identityService } from '@countersign/proto/identity';
import { type LedgerDefinition, ledgerService } from '@countersign/proto/ledger';
import { multiplexService } from '@countersign/proto/multiplex';
import { type NotifierDefinition, notifierService } from '@countersign/proto/notifier';
import { type SettlementDefinition, settlementService } from '@countersign/proto/settlement';
import { createGrpcClient } from '@countersign/runtime/grpc-client';
import type { Lifecycle } from '@countersign/runtime/lifecycle';
import type { Metrics } from '@countersign/runtime/metrics';
import type { Config } from './config.js';

/** The five services behind the edge. Creates carry ids minted here, so they are safe to resend. */
export function createClients(config: Config, metrics: Metrics, lifecycle: Lifecycle) {
  const clients = {
    identity: createGrpcClient<IdentityDefinition>({
      service: identityService,
      address: config.identityAddress,
      metrics,
      streamed: { open: multiplexService.Open, methods: ['ResolveActingPrincipal'] },
    }),
    decision: createGrpcClient<DecisionDefinition>({
      service: decisionService,
      address: config.decisionAddress,
      metrics,
      neverRetried: ['ConfirmStepUp', 'RotateSigningKey'],
      streamed: { open: multiplexService.Open, methods: ['Authorize'] },
    }),
    ledger: createGrpcClient<LedgerDefinition>({
      service: ledgerService,
      address: config.ledgerAddress,
      metrics,
      neverRetried: ['Reverse'],
    }),
    notifier: createGrpcClient<NotifierDefinition>({
      service: notifierService,
      address: config.notifierAddress,
      metrics,
      neverRetried: ['RotateWebhookSecret', 'TestWebhook', 'VerifyCode'],
    }),
    settlement: createGrpcClient<SettlementDefinition>({
      service: settlementService,
      address: config.settlementAddress,
      metrics,
    }),
  };
  lifecycle.onShutdown('grpc clients', () => {
    for (const client of Object.values(clients)) client.close();
  });
  return clients;
}

export type Clients = ReturnType<typeof createClients>;
export type ServiceName = keyof Clients;
