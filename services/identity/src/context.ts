import { type Clock, systemClock } from '@countersign/kernel/clock';
import { environments, type PerEnvironment, perEnvironment } from '@countersign/kernel/environment';
import { type LedgerDefinition, ledgerService } from '@countersign/proto/ledger';
import type { Bus } from '@countersign/runtime/bus';
import { openBus } from '@countersign/runtime/bus/open-bus';
import { openStores, prepareStores } from '@countersign/runtime/database/stores';
import { grpcTransport } from '@countersign/runtime/grpc/transport';
import { type GrpcClient, openGrpcClient } from '@countersign/runtime/grpc-client';
import type { Lifecycle } from '@countersign/runtime/lifecycle';
import type { Logger } from '@countersign/runtime/log';
import { Metrics } from '@countersign/runtime/metrics';
import type { Relay } from '@countersign/runtime/outbox';
import { startRelays } from '@countersign/runtime/outbox/start-relays';
import type { Tracer } from '@countersign/runtime/trace';
import { openTracing } from '@countersign/runtime/tracing';
import type { Config } from './config.js';
import { openStore, type Store } from './db.js';
import { Fences } from './fence/fences.js';
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
  /** Stores the fences; the only service that identity calls. */
  ledger: GrpcClient<LedgerDefinition>;
  relays: PerEnvironment<Relay>;
  fences: PerEnvironment<Fences>;
  spendingFacts: PerEnvironment<ReadSpendingFacts>;
  namedPrincipal: PerEnvironment<ReadNamedPrincipal>;
}

type Given = Pick<Context, 'log' | 'lifecycle'> & Partial<Pick<Context, 'clock'>>;

const migrations = new URL('../prisma/migrations/', import.meta.url);

/** Opens all parts that are not given. Throws if a database lacks a migration. */
export async function createContext(config: Config, given: Given): Promise<Context> {
  const { log, lifecycle } = given;
  const metrics = new Metrics('identity');
  const tracer = await openTracing(config, { service: 'identity', log, lifecycle, metrics });
  const clock = given.clock ?? systemClock;
  const stores = openStores(config, lifecycle, (url) =>
    openStore(url, { size: config.databasePoolSize, log }),
  );
  await prepareStores(stores, { metrics, migrations });
  const bus = openBus(config, { service: 'identity', log, lifecycle, metrics, tracer });
  const transport = grpcTransport(config);
  const ledger = openGrpcClient<LedgerDefinition>(
    { transport, metrics, lifecycle },
    { name: 'ledger', service: ledgerService, address: config.ledgerAddress },
  );
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
