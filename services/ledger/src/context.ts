import { Cipher } from '@countersign/kernel/cipher';
import { type Clock, systemClock } from '@countersign/kernel/clock';
import { environments, type PerEnvironment } from '@countersign/kernel/environment';
import { type Bus, createBus } from '@countersign/runtime/bus';
import { assertMigrated } from '@countersign/runtime/database/migrations';
import { watchPools } from '@countersign/runtime/database/pool-metrics';
import type { Lifecycle } from '@countersign/runtime/lifecycle';
import type { Logger } from '@countersign/runtime/log';
import { Metrics } from '@countersign/runtime/metrics';
import { createBehindGauge, type Relay, startRelay } from '@countersign/runtime/outbox';
import { busOptions } from '@countersign/runtime/process-settings';
import type { Tracer } from '@countersign/runtime/trace';
import { openTracing } from '@countersign/runtime/tracing';
import { DecisionTimes } from './commit/decision-times.js';
import { type Committer, createCommitter } from './commit.js';
import { createCommitMetrics } from './commit-metrics.js';
import type { Config } from './config.js';
import { closeStore, openStore, type Store } from './db.js';
import { type ReadReplay, replayReaders } from './replays.js';

/** Everything a handler needs. Each part is closed through the lifecycle by whoever opened it. */
export interface Context {
  config: Config;
  log: Logger;
  lifecycle: Lifecycle;
  metrics: Metrics;
  /** Null if tracing is off. */
  tracer: Tracer | null;
  clock: Clock;
  decisionTimes: DecisionTimes;
  /** Encrypts the signing keys of the hash chain, and vi_chains. */
  cipher: Cipher;
  stores: PerEnvironment<Store>;
  bus: Bus;
  relays: PerEnvironment<Relay>;
  committers: PerEnvironment<Committer>;
  replays: PerEnvironment<ReadReplay>;
}

type Given = Pick<Context, 'log' | 'lifecycle'> &
  Partial<Pick<Context, 'metrics' | 'clock' | 'stores' | 'bus' | 'relays'>>;
type Parts = Omit<Context, 'decisionTimes' | 'committers' | 'replays'>;

const migrations = new URL('../prisma/migrations/', import.meta.url);

/**
 * Opens all parts that are not given. Throws if a database lacks a migration. Parts are opened in
 * the order of their dependencies and closed in reverse: queued proposals are committed, then
 * their events are published, then the databases are closed.
 */
export async function createContext(config: Config, given: Given): Promise<Context> {
  const { log, lifecycle } = given;
  const metrics = given.metrics ?? new Metrics('ledger');
  const tracer = await openTracing(config, { service: 'ledger', log, lifecycle, metrics });
  const stores = given.stores ?? openStores(config, given);
  watchPools(
    metrics,
    environments.flatMap((environment) => {
      const { pool, commits } = stores[environment];
      return [
        { environment, pool },
        { environment, pool: commits, name: 'commits' },
      ];
    }),
  );
  for (const environment of environments) {
    await assertMigrated(stores[environment].pool, migrations);
    // Connecting loads Prisma's query compiler, which would otherwise block the first requests.
    await stores[environment].prisma.$connect();
  }
  const bus = given.bus ?? openBus(config, { log, lifecycle, metrics });
  const relays = given.relays ?? startRelays({ stores, bus, log, lifecycle, metrics });
  const clock = given.clock ?? systemClock;
  const cipher = new Cipher([config.secretsKey, ...config.secretsKeysPrevious]);
  const parts = { config, log, lifecycle, metrics, tracer, clock, cipher, stores, bus, relays };
  return {
    ...parts,
    decisionTimes: new DecisionTimes(clock),
    committers: await createCommitters(parts),
    replays: replayReaders(parts),
  };
}

function openStores(config: Config, { log, lifecycle }: Given): PerEnvironment<Store> {
  const open = (url: string): Store => {
    const store = openStore(url, { config, log });
    lifecycle.onShutdown('database', () => closeStore(store));
    return store;
  };
  return { live: open(config.databaseUrlLive), sandbox: open(config.databaseUrlSandbox) };
}

function openBus(config: Config, parts: Pick<Context, 'log' | 'lifecycle' | 'metrics'>): Bus {
  const bus = createBus({
    ...busOptions(config),
    service: 'ledger',
    ...parts,
  });
  parts.lifecycle.onShutdown('bus', () => bus.close());
  return bus;
}

function startRelays({
  stores,
  bus,
  log,
  lifecycle,
  metrics,
}: Pick<Parts, 'stores' | 'bus' | 'log' | 'lifecycle' | 'metrics'>): PerEnvironment<Relay> {
  const behind = createBehindGauge(metrics);
  const start = (environment: 'live' | 'sandbox'): Relay => {
    const relay = startRelay({ environment, pool: stores[environment].pool, bus, log, behind });
    lifecycle.onShutdown('relay', () => relay.stop());
    return relay;
  };
  return { live: start('live'), sandbox: start('sandbox') };
}

async function createCommitters(parts: Parts): Promise<PerEnvironment<Committer>> {
  const { config, log, lifecycle, stores, relays } = parts;
  const metricsOf = createCommitMetrics(parts.metrics);
  const create = async (environment: 'live' | 'sandbox'): Promise<Committer> => {
    const committer = await createCommitter({
      pool: stores[environment].commits,
      lanes: config.commitLanes,
      queueLimit: config.commitQueueLimit,
      now: Date.now,
      log: log.child({ environment }),
      metrics: metricsOf(environment),
      onCommitted: () => relays[environment].wake(),
    });
    lifecycle.onShutdown('commit lanes', () => committer.idle());
    return committer;
  };
  return { live: await create('live'), sandbox: await create('sandbox') };
}
