import type { Environment } from '@countersign/kernel/environment';
import { newId } from '@countersign/kernel/id';
import type { Tenant } from '@countersign/proto/conventions';
import { type SettlementDefinition, settlementService } from '@countersign/proto/settlement';
import { inTheClear } from '@countersign/runtime/grpc/transport';
import { createGrpcClient, type GrpcClient } from '@countersign/runtime/grpc-client';
import { Lifecycle } from '@countersign/runtime/lifecycle';
import { createLog } from '@countersign/runtime/log';
import { Metrics } from '@countersign/runtime/metrics';
import { loadConfig } from '../config.js';
import { type Context, createContext } from '../context.js';
import { startServer } from '../server.js';

interface ServiceOptions {
  urls: Record<Environment, string>;
  ledger: string;
  env?: Record<string, string>;
}

export interface RunningService {
  context: Context;
  call: GrpcClient<SettlementDefinition>['call'];
  healthUrl: string;
  stop(): Promise<void>;
}

export async function startService(options: ServiceOptions): Promise<RunningService> {
  const log = createLog({ service: 'settlement', level: process.env.LOG_LEVEL ?? 'silent' });
  const config = loadConfig({
    GRPC_PORT: '0',
    GRPC_HOST: '127.0.0.1',
    HEALTH_HOST: '127.0.0.1',
    HEALTH_PORT: '0',
    DATABASE_URL_LIVE: options.urls.live,
    DATABASE_URL_SANDBOX: options.urls.sandbox,
    LEDGER_ADDRESS: options.ledger,
    CHAIN_POLL_MS: '25',
    ...options.env,
  });
  const lifecycle = new Lifecycle(log);
  const context = await createContext(config, { log, lifecycle });
  const { grpcPort, healthPort } = await startServer(context);
  const client = createGrpcClient<SettlementDefinition>({
    transport: inTheClear,
    service: settlementService,
    address: `127.0.0.1:${grpcPort}`,
    metrics: new Metrics('test'),
  });
  return {
    context,
    call: client.call,
    healthUrl: `http://127.0.0.1:${healthPort}`,
    stop: async () => {
      client.close();
      await lifecycle.shutdown();
    },
  };
}

export const callOptions = { environment: 'sandbox' as const, requestId: 'req-test' };

export function newTenant(): Tenant {
  return { clientId: newId('client'), principalId: newId('principal') };
}

export const faultOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(() => null).catch((error: unknown) => error);
