import { Cipher } from '@countersign/kernel/cipher';
import { type Clock, systemClock } from '@countersign/kernel/clock';
import { environments, type PerEnvironment } from '@countersign/kernel/environment';
import { openBus } from '@countersign/runtime/bus/open-bus';
import { openStores, prepareStores } from '@countersign/runtime/database/stores';
import type { Lifecycle } from '@countersign/runtime/lifecycle';
import type { Logger } from '@countersign/runtime/log';
import { Metrics } from '@countersign/runtime/metrics';
import type { Relay } from '@countersign/runtime/outbox';
import { startRelays } from '@countersign/runtime/outbox/start-relays';
import type { Tracer } from '@countersign/runtime/trace';
import { openTracing } from '@countersign/runtime/tracing';
import { DecisionTimes } from './commit/decision-times.js';
import { type Committer, createCommitter } from './commit.js';
import { createCommitMetrics } from './commit-metrics.js';
import type { Config } from './config.js';
import { openStore, type Store } from './db.js';
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
  relays: PerEnvironment<Relay>;
  committers: PerEnvironment<Committer>;
  replays: PerEnvironment<ReadReplay>;
}

type Given = Pick<Context, 'log' | 'lifecycle'> & Partial<Pick<Context, 'clock'>>;
type Parts = Omit<Context, 'decisionTimes' | 'committers' | 'replays'>;

const migrations = new URL('../prisma/migrations/', import.meta.url);

/**
 * Opens all parts that are not given. Throws if a database lacks a migration. Parts are opened in
 * the order of their dependencies and closed in reverse: queued proposals are committed, then
 * their events are published, then the databases are closed.
 */
export async function createContext(config: Config, given: Given): Promise<Context> {
  const { log, lifecycle } = given;
  const metrics = new Metrics('ledger');
  const tracer = await openTracing(config, { service: 'ledger', log, lifecycle, metrics });
  const stores = openStores(config, lifecycle, (url) => openStore(url, { config, log }));
  const furtherPools = environments.map((environment) => ({
    ...{ environment, pool: stores[environment].commits },
    name: 'commits',
  }));
  lifecycle.onShutdown('connections for commits', async () => {
    await Promise.all(furtherPools.map(({ pool }) => pool.end()));
  });
  await prepareStores(stores, { metrics, migrations, furtherPools });
  const bus = openBus(config, { service: 'ledger', log, lifecycle, metrics, tracer });
  const relays = startRelays({ stores, bus, log, lifecycle, metrics });
  const clock = given.clock ?? systemClock;
  const cipher = new Cipher([config.secretsKey, ...config.secretsKeysPrevious]);
  const parts = { config, log, lifecycle, metrics, tracer, clock, cipher, stores, relays };
  return {
    ...parts,
    decisionTimes: new DecisionTimes(clock),
    committers: await createCommitters(parts),
    replays: replayReaders(parts),
  };
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
