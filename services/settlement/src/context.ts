import { type Clock, systemClock } from '@countersign/kernel/clock';
import { environments, type PerEnvironment, perEnvironment } from '@countersign/kernel/environment';
import { type LedgerDefinition, ledgerService } from '@countersign/proto/ledger';
import { assertMigrated } from '@countersign/runtime/database/migrations';
import { watchPools } from '@countersign/runtime/database/pool-metrics';
import { grpcTransport } from '@countersign/runtime/grpc/transport';
import { createGrpcClient, type GrpcClient } from '@countersign/runtime/grpc-client';
import type { Lifecycle } from '@countersign/runtime/lifecycle';
import type { Logger } from '@countersign/runtime/log';
import { Metrics } from '@countersign/runtime/metrics';
import type { Tracer } from '@countersign/runtime/trace';
import { openTracing } from '@countersign/runtime/tracing';
import type { Chain } from './chain.js';
import type { Config } from './config.js';
import { createPools, createPrisma, migrationsFolder, type Pools, type Prisma } from './db.js';
import { type SettlementMetrics, settlementMetrics } from './settlement-metrics.js';

/** Everything a handler needs; each part can be replaced in a test. */
export interface Context {
  config: Config;
  log: Logger;
  lifecycle: Lifecycle;
  metrics: Metrics;
  counted: SettlementMetrics;
  /** Null if tracing is off. */
  tracer: Tracer | null;
  clock: Clock;
  pools: Pools;
  prisma: Prisma;
  ledger: GrpcClient<LedgerDefinition>;
  /** By name. The crypto rail of an environment without chains is disabled. */
  chains: PerEnvironment<ReadonlyMap<string, Chain>>;
  /** Called when a settlement becomes SETTLED; set by the server. */
  onSettled: PerEnvironment<() => void>;
}

type Parts = Pick<Context, 'log' | 'lifecycle'> & Partial<Context>;

/** Opens all parts that are not given. Throws if a database lacks a migration. */
export async function createContext(config: Config, parts: Parts): Promise<Context> {
  const { log, lifecycle } = parts;
  const metrics = parts.metrics ?? new Metrics('settlement');
  const tracing = { service: 'settlement', log, lifecycle, metrics };
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
    counted: parts.counted ?? settlementMetrics(metrics),
    tracer,
    clock: parts.clock ?? systemClock,
    pools,
    prisma: parts.prisma ?? (await openPrisma(pools, lifecycle)),
    ledger: parts.ledger ?? openLedger(config, { lifecycle, metrics }),
    chains: parts.chains ?? (await openChains(config)),
    onSettled: parts.onSettled ?? perEnvironment(() => () => {}),
  };
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
    // Connecting loads Prisma's query compiler, which would otherwise block the first calls.
    await prisma[environment].$connect();
  }
  return prisma;
}

function openLedger(
  config: Config,
  { lifecycle, metrics }: Pick<Context, 'lifecycle' | 'metrics'>,
): GrpcClient<LedgerDefinition> {
  const client = createGrpcClient<LedgerDefinition>({
    service: ledgerService,
    address: config.ledgerAddress,
    transport: grpcTransport(config),
    metrics,
  });
  lifecycle.onShutdown('ledger client', () => client.close());
  return client;
}

/** The EVM client library takes most of the start time, so it is only loaded if it is needed. */
async function openChains(config: Config): Promise<Context['chains']> {
  const settings = { live: config.chainsLive, sandbox: config.chainsSandbox };
  if (environments.every((environment) => settings[environment].length === 0)) {
    return perEnvironment(() => new Map());
  }
  const { openChain } = await import('./chain.js');
  return perEnvironment(
    (environment) =>
      new Map(
        settings[environment].map((chain) => [chain.name, openChain(chain, config.chainTimeoutMs)]),
      ),
  );
}
