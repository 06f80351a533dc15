import { type Clock, systemClock } from '@countersign/kernel/clock';
import { environments, type PerEnvironment, perEnvironment } from '@countersign/kernel/environment';
import { type Bus, createBus } from '@countersign/runtime/bus';
import { assertMigrated } from '@countersign/runtime/database/migrations';
import { watchPools } from '@countersign/runtime/database/pool-metrics';
import { grpcTransport } from '@countersign/runtime/grpc/transport';
import type { Lifecycle } from '@countersign/runtime/lifecycle';
import type { Logger } from '@countersign/runtime/log';
import { Metrics } from '@countersign/runtime/metrics';
import { createBehindGauge, type Relay, startRelay } from '@countersign/runtime/outbox';
import { busOptions } from '@countersign/runtime/process-settings';
import type { Tracer } from '@countersign/runtime/trace';
import { openTracing } from '@countersign/runtime/tracing';
import type { Config } from './config.js';
import { closeStore, openStore, type Store } from './db.js';
import { Fences } from './fence/fences.js';
import { createLedgerClient, type LedgerClient } from './ledger.js';
import { namedPrincipalReaders, type ReadNamedPrincipal } from './named-principal.js';
import { type ReadSpendingFacts, spendingFactsReaders } from './spending-facts.js';

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
  ledger: LedgerClient;
  relays: PerEnvironment<Relay>;
  fences: PerEnvironment<Fences>;
  spendingFacts: PerEnvironment<ReadSpendingFacts>;
  namedPrincipal: PerEnvironment<ReadNamedPrincipal>;
}

type Given = Pick<Context, 'log' | 'lifecycle'> &
  Partial<Pick<Context, 'metrics' | 'clock' | 'stores' | 'bus' | 'ledger'>>;

/** Opens all parts that are not given. Throws if a database lacks a migration. */
export async function createContext(config: Config, given: Given): Promise<Context> {
  const { log, lifecycle } = given;
  const metrics = given.metrics ?? new Metrics('identity');
  const tracer = await openTracing(config, { service: 'identity', log, lifecycle, metrics });
  const clock = given.clock ?? systemClock;
  const stores = given.stores ?? openStores(config, given);
  watchPools(
    metrics,
    environments.map((environment) => ({ environment, pool: stores[environment].pool })),
  );
  for (const environment of environments) {
    const migrations = new URL('../prisma/migrations/', import.meta.url);
    await assertMigrated(stores[environment].pool, migrations);
    // Connecting loads Prisma's query compiler, which would otherwise block the first requests.
    await stores[environment].prisma.$connect();
  }
  const bus = given.bus ?? openBus(config, { log, lifecycle, metrics, tracer });
  const ledger = given.ledger ?? openLedger(config, { lifecycle, metrics });
  const parts = { config, log, lifecycle, metrics, tracer, clock, stores, bus, ledger };
  return {
    ...parts,
    spendingFacts: spendingFactsReaders(parts),
    namedPrincipal: namedPrincipalReaders(parts),
    relays: startRelays(parts),
    fences: startFences(parts),
  };
}

type Parts = Omit<Context, 'relays' | 'fences' | 'spendingFacts' | 'namedPrincipal'>;

function openStores(config: Config, { log, lifecycle }: Given): PerEnvironment<Store> {
  const urls = { live: config.databaseUrlLive, sandbox: config.databaseUrlSandbox };
  const size = config.databasePoolSize;
  const stores = perEnvironment((environment) => openStore(urls[environment], { size, log }));
  lifecycle.onShutdown('databases', async () => {
    await Promise.all(environments.map((environment) => closeStore(stores[environment])));
  });
  return stores;
}

type BusParts = Pick<Parts, 'log' | 'lifecycle' | 'metrics' | 'tracer'>;

function openBus(config: Config, { lifecycle, ...parts }: BusParts): Bus {
  const bus = createBus({ ...busOptions(config), service: 'identity', ...parts });
  lifecycle.onShutdown('bus', () => bus.close());
  return bus;
}

function openLedger(config: Config, parts: Pick<Parts, 'lifecycle' | 'metrics'>): LedgerClient {
  const transport = grpcTransport(config);
  const ledger = createLedgerClient(config.ledgerAddress, { transport, metrics: parts.metrics });
  parts.lifecycle.onShutdown('ledger client', () => ledger.close());
  return ledger;
}

function startRelays({ stores, bus, log, lifecycle, metrics }: Parts): PerEnvironment<Relay> {
  const behind = createBehindGauge(metrics);
  const relays = perEnvironment((environment) =>
    startRelay({ environment, pool: stores[environment].pool, bus, log, behind }),
  );
  lifecycle.onShutdown('relays', async () => {
    await Promise.all(environments.map((environment) => relays[environment].stop()));
  });
  return relays;
}

function startFences({ config, stores, ledger, log, lifecycle, metrics }: Parts) {
  const retryMs = config.fenceRetryMs;
  const fences = perEnvironment((environment) => {
    const { pool } = stores[environment];
    const delivery = new Fences({ environment, pool, ledger, log, metrics, retryMs });
    delivery.start();
    return delivery;
  });
  lifecycle.onShutdown('fences', async () => {
    await Promise.all(environments.map((environment) => fences[environment].stop()));
  });
  return fences;
}
