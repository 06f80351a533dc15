import type { Environment } from '@countersign/kernel/environment';
import type { BusEvent, RecordedAuthorization } from '@countersign/kernel/event';
import { newId } from '@countersign/kernel/id';
import { type NotifierDefinition, notifierService } from '@countersign/proto/notifier';
import { inTheClear } from '@countersign/runtime/grpc/transport';
import { createGrpcClient, type GrpcClient } from '@countersign/runtime/grpc-client';
import { Lifecycle } from '@countersign/runtime/lifecycle';
import { createLog, type Logger } from '@countersign/runtime/log';
import { Metrics } from '@countersign/runtime/metrics';
import { testUrl } from '@countersign/runtime/testing';
import { publishOne } from '@countersign/runtime/testing/publish-one';
import type { CodeSender } from '../codes/send-code.js';
import { type Config, loadConfig } from '../config.js';
import { type Context, createContext } from '../context.js';
import { startServer } from '../server.js';

interface NotifierOptions {
  urls: Record<Environment, string>;
  namespace: string;
  env?: Record<string, string>;
  codes?: CodeSender;
  log?: Logger;
}

export interface RunningNotifier {
  context: Context;
  call: GrpcClient<NotifierDefinition>['call'];
  healthUrl: string;
  stop(): Promise<void>;
}

const secretsKey = Buffer.alloc(32, 7).toString('base64');

export function notifierEnv({ urls, namespace, env }: NotifierOptions): Record<string, string> {
  return {
    GRPC_PORT: '0',
    GRPC_HOST: '127.0.0.1',
    HEALTH_HOST: '127.0.0.1',
    HEALTH_PORT: '0',
    DATABASE_URL_LIVE: urls.live,
    DATABASE_URL_SANDBOX: urls.sandbox,
    NATS_URL: testUrl('nats'),
    NAMESPACE: namespace,
    IDENTITY_ADDRESS: '127.0.0.1:1',
    SECRETS_KEY: secretsKey,
    WEBHOOK_ALLOWED_HOSTS: '127.0.0.1',
    WEBHOOK_RETRY_BASE_MS: '5',
    ...env,
  };
}

/** The service in this process, as in production, with a gRPC client. */
export async function startNotifier(options: NotifierOptions): Promise<RunningNotifier> {
  const log =
    options.log ?? createLog({ service: 'notifier', level: process.env.LOG_LEVEL ?? 'silent' });
  const config: Config = loadConfig(notifierEnv(options));
  const lifecycle = new Lifecycle(log);
  const context = await createContext(config, {
    log,
    lifecycle,
    ...(options.codes && { codes: options.codes }),
  });
  const { grpcPort, healthPort } = await startServer(context);
  const client = createGrpcClient({
    transport: inTheClear,
    service: notifierService as NotifierDefinition & typeof notifierService,
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

/** A recorded decision, a decline by default. */
export function recorded(
  principalId: string,
  data: Partial<RecordedAuthorization> = {},
): BusEvent<'authorization.recorded'> {
  return {
    id: newId('event'),
    type: 'authorization.recorded',
    environment: 'sandbox',
    principalId,
    clientId: newId('client'),
    requestId: 'req-test',
    occurredAt: new Date().toISOString(),
    data: {
      authorizationId: newId('authorization'),
      agentId: newId('agent'),
      mandateId: newId('mandate'),
      programId: newId('program'),
      decision: 'DECLINE',
      reasonCodes: ['AMOUNT_EXCEEDS_PER_TXN'],
      reasonDetail: 'The amount is above the limit.',
      amount: '12.5',
      currency: 'USD',
      rail: 'CARD',
      processingTimeMs: 3.5,
      kyaScore: 0.8,
      zone: 'GREEN',
      cognitiveLimitMultiplier: 1,
      intentAnomalyScore: 0,
      intentAnomalyTriggered: false,
      stepUpExpiresAt: null,
      ...data,
    },
  };
}

export async function publish(notifier: { context: Context }, event: BusEvent): Promise<void> {
  await publishOne(notifier.context.bus, event);
}
