import { Cipher } from '@countersign/kernel/cipher';
import { type Clock, systemClock } from '@countersign/kernel/clock';
import { type PerEnvironment, perEnvironment } from '@countersign/kernel/environment';
import { type IdentityDefinition, identityService } from '@countersign/proto/identity';
import type { Bus } from '@countersign/runtime/bus';
import { openBus } from '@countersign/runtime/bus/open-bus';
import { openStores, prepareStores } from '@countersign/runtime/database/stores';
import { grpcTransport } from '@countersign/runtime/grpc/transport';
import { openGrpcClient } from '@countersign/runtime/grpc-client';
import type { Lifecycle } from '@countersign/runtime/lifecycle';
import type { Logger } from '@countersign/runtime/log';
import { Metrics } from '@countersign/runtime/metrics';
import { UrlGuard } from '@countersign/runtime/outgoing/url-guard';
import type { Tracer } from '@countersign/runtime/trace';
import { openTracing } from '@countersign/runtime/tracing';
import { WakeSignal } from '@countersign/runtime/wake-signal';
import { CodeHasher } from './codes/code-hasher.js';
import type { Identity } from './codes/contact.js';
import { type CodeSender, createCodeSender } from './codes/send-code.js';
import type { Config } from './config.js';
import { openStore, type Store } from './db.js';

/** Everything a handler needs. Each part is closed through the lifecycle by whoever opened it. */
export interface Context {
  config: Config;
  log: Logger;
  lifecycle: Lifecycle;
  metrics: Metrics;
  /** Null if tracing is off. */
  tracer: Tracer | null;
  clock: Clock;
  stores: PerEnvironment<Store>;
  bus: Bus;
  identity: Identity;
  cipher: Cipher;
  hasher: CodeHasher;
  guard: UrlGuard;
  codes: CodeSender;
  /** Signalled when a delivery has become due. */
  signals: PerEnvironment<WakeSignal>;
  /** Signalled when a one-time code is to be sent. */
  codeSignals: PerEnvironment<WakeSignal>;
}

type Given = Pick<Context, 'log' | 'lifecycle'> & Partial<Pick<Context, 'codes'>>;

const migrations = new URL('../prisma/migrations/', import.meta.url);

const codeTimeoutMs = 4_000;

/** Throws if a database lacks a migration. */
export async function createContext(config: Config, given: Given): Promise<Context> {
  const { log, lifecycle } = given;
  const metrics = new Metrics('notifier');
  const tracer = await openTracing(config, { service: 'notifier', log, lifecycle, metrics });
  const stores = openStores(config, lifecycle, (url) =>
    openStore(url, { size: config.databasePoolSize, log }),
  );
  await prepareStores(stores, { metrics, migrations });
  // The current secret first, then former ones, which only decrypt.
  const secrets = [config.secretsKey, ...config.secretsKeysPrevious] as const;
  return {
    config,
    log,
    lifecycle,
    metrics,
    tracer,
    clock: systemClock,
    stores,
    bus: openBus(config, { service: 'notifier', log, lifecycle, metrics, tracer }),
    identity: openGrpcClient<IdentityDefinition>(
      { transport: grpcTransport(config), metrics, lifecycle },
      { name: 'identity', service: identityService, address: config.identityAddress },
    ),
    cipher: new Cipher(secrets),
    hasher: new CodeHasher(secrets),
    guard: new UrlGuard({ allowedHosts: config.webhookAllowedHosts }),
    codes: given.codes ?? openCodes(config, lifecycle),
    signals: perEnvironment(() => new WakeSignal()),
    codeSignals: perEnvironment(() => new WakeSignal()),
  };
}

function openCodes(config: Config, lifecycle: Lifecycle): CodeSender {
  const codes = createCodeSender({ ...config, timeoutMs: codeTimeoutMs });
  lifecycle.onShutdown('code sender', () => codes.close());
  return codes;
}
