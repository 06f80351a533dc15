import { Cipher } from '@countersign/kernel/cipher';
import { type Clock, systemClock } from '@countersign/kernel/clock';
import { environments, type PerEnvironment, perEnvironment } from '@countersign/kernel/environment';
import { type IdentityDefinition, identityService } from '@countersign/proto/identity';
import { type Bus, createBus } from '@countersign/runtime/bus';
import { assertMigrated } from '@countersign/runtime/database/migrations';
import { watchPools } from '@countersign/runtime/database/pool-metrics';
import { grpcTransport } from '@countersign/runtime/grpc/transport';
import { createGrpcClient } from '@countersign/runtime/grpc-client';
import type { Lifecycle } from '@countersign/runtime/lifecycle';
import type { Logger } from '@countersign/runtime/log';
import { Metrics } from '@countersign/runtime/metrics';
import { UrlGuard } from '@countersign/runtime/outgoing/url-guard';
import { busOptions } from '@countersign/runtime/process-settings';
import type { Tracer } from '@countersign/runtime/trace';
import { openTracing } from '@countersign/runtime/tracing';
import { WakeSignal } from '@countersign/runtime/wake-signal';
import { CodeHasher } from './codes/code-hasher.js';
import type { Identity } from './codes/contact.js';
import type { Config } from './config.js';
import { createPools, createPrisma, migrationsFolder, type Pools, type Prisma } from './db.js';
import { type CodeSender, createCodeSender } from './send-code.js';

/** Dependencies of the handlers; each can be replaced in a test. */
export interface Context {
  config: Config;
  log: Logger;
  lifecycle: Lifecycle;
  metrics: Metrics;
  /** Null if tracing is off. */
  tracer: Tracer | null;
  clock: Clock;
  pools: Pools;
  prisma: Prisma;
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
  /** PEM of a CA that is trusted for endpoints, in addition to the system's. */
  trustedAuthority: string | undefined;
}

type Parts = Pick<Context, 'log' | 'lifecycle'> & Partial<Context>;

const codeTimeoutMs = 4_000;

/**
 * Opens whatever was not given and closes it with the lifecycle; fails if a database lacks
 * migrations.
 */
export async function createContext(config: Config, parts: Parts): Promise<Context> {
  const { log, lifecycle } = parts;
  const metrics = parts.metrics ?? new Metrics('notifier');
  const tracing = { service: 'notifier', log, lifecycle, metrics };
  const tracer = parts.tracer ?? (await openTracing(config, tracing));
  const pools = parts.pools ?? openPools(config, parts);
  watchPools(
    metrics,
    environments.map((environment) => ({ environment, pool: pools[environment] })),
  );
  for (const environment of environments)
    await assertMigrated(pools[environment], migrationsFolder);
  return {
    config,
    log,
    lifecycle,
    metrics,
    tracer,
    clock: parts.clock ?? systemClock,
    pools,
    prisma: parts.prisma ?? (await openPrisma(pools, lifecycle)),
    bus: parts.bus ?? openBus(config, { log, lifecycle, metrics, tracer }),
    identity: parts.identity ?? openIdentity(config, { lifecycle, metrics }),
    cipher: parts.cipher ?? new Cipher(secretsOf(config)),
    hasher: parts.hasher ?? new CodeHasher(secretsOf(config)),
    guard: parts.guard ?? new UrlGuard({ allowedHosts: config.webhookAllowedHosts }),
    codes: parts.codes ?? openCodes(config, lifecycle),
    signals: parts.signals ?? perEnvironment(() => new WakeSignal()),
    codeSignals: parts.codeSignals ?? perEnvironment(() => new WakeSignal()),
    trustedAuthority: parts.trustedAuthority,
  };
}

/** The current secret first, then former ones, which only decrypt. */
function secretsOf({ secretsKey, secretsKeysPrevious }: Config): [Buffer, ...Buffer[]] {
  return [secretsKey, ...secretsKeysPrevious.map((text) => Buffer.from(text, 'base64'))];
}

function openPools(config: Config, { log, lifecycle }: Parts): Pools {
  const pools = createPools(config, log);
  for (const environment of environments) {
    lifecycle.onShutdown(`database ${environment}`, () => pools[environment].end());
  }
  return pools;
}

async function openPrisma(pools: Pools, lifecycle: Lifecycle): Promise<Prisma> {
  const prisma = createPrisma(pools);
  for (const environment of environments) {
    lifecycle.onShutdown(`prisma ${environment}`, () => prisma[environment].$disconnect());
    // Loads Prisma's query compiler now; within the first request it would block all others.
    await prisma[environment].$connect();
  }
  return prisma;
}

type BusParts = Pick<Context, 'log' | 'lifecycle' | 'metrics' | 'tracer'>;

function openBus(config: Config, { lifecycle, ...parts }: BusParts): Bus {
  const bus = createBus({ ...busOptions(config), service: 'notifier', ...parts });
  lifecycle.onShutdown('bus', () => bus.close());
  return bus;
}

function openIdentity(
  config: Config,
  { lifecycle, metrics }: Pick<Context, 'lifecycle' | 'metrics'>,
): Identity {
  const client = createGrpcClient<IdentityDefinition>({
    service: identityService,
    address: config.identityAddress,
    transport: grpcTransport(config),
    metrics,
  });
  lifecycle.onShutdown('identity client', () => client.close());
  return client;
}

function openCodes(config: Config, lifecycle: Lifecycle): CodeSender {
  const codes = createCodeSender({ ...config, timeoutMs: codeTimeoutMs });
  lifecycle.onShutdown('code sender', () => codes.close());
  return codes;
}
