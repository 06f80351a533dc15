import { type Clock, systemClock } from '@countersign/kernel/clock';
import { environments, type PerEnvironment, perEnvironment } from '@countersign/kernel/environment';
import { type LedgerDefinition, ledgerService } from '@countersign/proto/ledger';
import { openStores, prepareStores } from '@countersign/runtime/database/stores';
import { grpcTransport } from '@countersign/runtime/grpc/transport';
import { type GrpcClient, openGrpcClient } from '@countersign/runtime/grpc-client';
import type { Lifecycle } from '@countersign/runtime/lifecycle';
import type { Logger } from '@countersign/runtime/log';
import { Metrics } from '@countersign/runtime/metrics';
import type { Tracer } from '@countersign/runtime/trace';
import { openTracing } from '@countersign/runtime/tracing';
import { WakeSignal } from '@countersign/runtime/wake-signal';
import type { Chain } from './chain.js';
import type { Config } from './config.js';
import { openStore, type Store } from './db.js';
import {
  reportUnavailable,
  type SettlementMetrics,
  settlementMetrics,
} from './settlement-metrics.js';

/** Everything a handler needs. Each part is closed through the lifecycle by whoever opened it. */
export interface Context {
  config: Config;
  log: Logger;
  lifecycle: Lifecycle;
  metrics: Metrics;
  counted: SettlementMetrics;
  /** Null if tracing is off. */
  tracer: Tracer | null;
  clock: Clock;
  stores: PerEnvironment<Store>;
  ledger: GrpcClient<LedgerDefinition>;
  /** By name. The crypto rail of an environment without chains is disabled. */
  chains: PerEnvironment<ReadonlyMap<string, Chain>>;
  /** Signalled when a settlement becomes SETTLED. */
  settled: PerEnvironment<WakeSignal>;
}

const migrations = new URL('../prisma/migrations/', import.meta.url);

/** Throws if a database lacks a migration. */
export async function createContext(
  config: Config,
  { log, lifecycle }: Pick<Context, 'log' | 'lifecycle'>,
): Promise<Context> {
  const metrics = new Metrics('settlement');
  const tracer = await openTracing(config, { service: 'settlement', log, lifecycle, metrics });
  const stores = openStores(config, lifecycle, (url) =>
    openStore(url, { size: config.databasePoolSize, log }),
  );
  await prepareStores(stores, { metrics, migrations });
  const chains = await openChains(config);
  reportUnavailable(metrics, chains);
  return {
    config,
    log,
    lifecycle,
    metrics,
    counted: settlementMetrics(metrics),
    tracer,
    clock: systemClock,
    stores,
    ledger: openGrpcClient<LedgerDefinition>(
      { transport: grpcTransport(config), metrics, lifecycle },
      { name: 'ledger', service: ledgerService, address: config.ledgerAddress },
    ),
    chains,
    settled: perEnvironment(() => new WakeSignal()),
  };
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
