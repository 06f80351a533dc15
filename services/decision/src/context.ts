import { Cipher } from '@countersign/kernel/cipher';
import { type Clock, systemClock } from '@countersign/kernel/clock';
import {
  type Environment,
  type PerEnvironment,
  perEnvironment,
} from '@countersign/kernel/environment';
import { BoundedMap } from '@countersign/runtime/bounded-map';
import type { Bus } from '@countersign/runtime/bus';
import { openBus } from '@countersign/runtime/bus/open-bus';
import { openStores, prepareStores } from '@countersign/runtime/database/stores';
import { grpcTransport } from '@countersign/runtime/grpc/transport';
import type { Lifecycle } from '@countersign/runtime/lifecycle';
import type { Logger } from '@countersign/runtime/log';
import { Metrics } from '@countersign/runtime/metrics';
import type { Relay } from '@countersign/runtime/outbox';
import { startRelays } from '@countersign/runtime/outbox/start-relays';
import { UrlGuard } from '@countersign/runtime/outgoing/url-guard';
import { connectRedis, type Redis } from '@countersign/runtime/redis';
import type { Tracer } from '@countersign/runtime/trace';
import { openTracing } from '@countersign/runtime/tracing';
import { KeyStore } from './attestation/key-store.js';
import { SigningKeys } from './attestation/signing-keys.js';
import { longestOf } from './budget.js';
import { guardedSpendingFacts, type LedgerClient, openIdentity, openLedger } from './clients.js';
import type { Config } from './config.js';
import { openStore, type Store, statementTimeoutMs } from './db.js';
import { type DecisionMetrics, decisionMetrics } from './decision-metrics.js';
import { AgentDirectory } from './facts/agent-directory.js';
import { RecentKeys } from './idempotency/recent-keys.js';
import { createKeyFetcher } from './issuer/fetch-keys.js';
import { TrustedIssuers } from './issuer/trusted-issuers.js';
import { StateCache } from './state/cache.js';
import { StateReader } from './state/reader.js';
import { ShortWindows } from './velocity/short-windows.js';

/** Everything a handler needs. The creator of a part registers its closing with the lifecycle. */
export interface Context {
  config: Config;
  log: Logger;
  lifecycle: Lifecycle;
  metrics: Metrics;
  /** Null if traces are off. */
  tracer: Tracer | null;
  counted: DecisionMetrics;
  clock: Clock;
  stores: PerEnvironment<Store>;
  /** Cache of thresholds, profiles and past payments. */
  stateCache: PerEnvironment<StateCache>;
  stateReader: PerEnvironment<StateReader>;
  /** Keys that sign attestations. */
  signing: PerEnvironment<SigningKeys>;
  bus: Bus;
  relays: PerEnvironment<Relay>;
  /** Holds only data that may be lost; decisions are made without Redis as well. */
  redis: Redis;
  /** Recent decisions of each agent, for `VELOCITY_BURST`. */
  windows: PerEnvironment<ShortWindows>;
  ledger: LedgerClient;
  /**
   * Hashes of the bases that the ledger has stored, so that their texts need not be sent again.
   */
  keptBases: PerEnvironment<BoundedMap<string, true>>;
  /** Idempotency keys that this process has seen recently, which are worth a look-up. */
  recentKeys: RecentKeys;
  /** Trusted issuers of L1 credentials of verifiable intent. */
  issuers: PerEnvironment<TrustedIssuers>;
  /** Agents with Principal, program and mandates, from the cache or from identity. */
  agents: AgentDirectory;
}

/** As many as there are agents in the cache. */
const maxKeptBases = 20_000;

/** Velocity is an optional signal, so it may use only a small part of the decision's deadline. */
function longestWait({ redisTimeoutMs, decisionDeadlineMs }: Config): number {
  return Math.min(redisTimeoutMs, decisionDeadlineMs / 4);
}

/** A decision can use no later answer; the database itself ends a statement that takes longer. */
function longestRead({ decisionDeadlineMs }: Config): number {
  return Math.min(longestOf('database', decisionDeadlineMs), statementTimeoutMs);
}

type Given = Pick<Context, 'log' | 'lifecycle'> & Partial<Pick<Context, 'clock'>>;

const migrations = new URL('../prisma/migrations/', import.meta.url);

/** Opens every part that is not given; throws if the database lacks a migration. */
export async function createContext(config: Config, given: Given): Promise<Context> {
  const { log, lifecycle } = given;
  const metrics = new Metrics('decision');
  const tracer = await openTracing(config, { service: 'decision', log, lifecycle, metrics });
  const stores = openStores(config, lifecycle, (url) =>
    openStore(url, { size: config.databasePoolSize, log }),
  );
  await prepareStores(stores, { metrics, migrations });
  const clock = given.clock ?? systemClock;
  const parts = { log, lifecycle, metrics, tracer, clock };
  const counted = decisionMetrics(metrics);
  const stateCache = perEnvironment(() => new StateCache({ historyMb: config.agentHistoryMb }));
  const redis = connectRedis({ ...config, redisTimeoutMs: longestWait(config) }, parts);
  const bus = openBus(config, { service: 'decision', log, lifecycle, metrics, tracer });
  const clientParts = { transport: grpcTransport(config), metrics, lifecycle };
  const identity = openIdentity(config.identityAddress, clientParts);
  const windowParts = { redis, metrics, counted };
  return {
    ...parts,
    config,
    counted,
    stores,
    signing: await openSigningKeys(config, { ...parts, stores }),
    stateCache,
    stateReader: perEnvironment((environment) => {
      const { pool } = stores[environment];
      const cache = stateCache[environment];
      return new StateReader({ pool, metrics, counted, cache, longestMs: longestRead(config) });
    }),
    bus,
    relays: startRelays({ ...parts, stores, bus }),
    redis,
    windows: perEnvironment((environment) => new ShortWindows({ ...windowParts, environment })),
    ledger: openLedger(config.ledgerAddress, clientParts),
    keptBases: perEnvironment(() => new BoundedMap(maxKeptBases)),
    recentKeys: new RecentKeys(),
    issuers: perEnvironment((environment) => openIssuers(config, parts, environment)),
    agents: new AgentDirectory(guardedSpendingFacts(identity, metrics), counted),
  };
}

type Parts = Pick<Context, 'log' | 'lifecycle' | 'metrics' | 'tracer' | 'clock'>;

async function openSigningKeys(
  config: Config,
  { log, lifecycle, clock, stores }: Parts & Pick<Context, 'stores'>,
): Promise<PerEnvironment<SigningKeys>> {
  const cipher = new Cipher([config.secretsKey, ...config.secretsKeysPrevious]);
  const open = async (environment: Environment): Promise<SigningKeys> => {
    const { prisma } = stores[environment];
    const store = new KeyStore({ environment, prisma, cipher, clock });
    const keys = await SigningKeys.open(store, log.child({ environment }));
    lifecycle.onShutdown(`signing keys ${environment}`, () => keys.stop());
    return keys;
  };
  return { live: await open('live'), sandbox: await open('sandbox') };
}

function openIssuers(
  config: Config,
  { log, lifecycle, clock }: Parts,
  environment: Environment,
): TrustedIssuers {
  const fetcher = createKeyFetcher(environment, new UrlGuard({ allowedHosts: [] }));
  lifecycle.onShutdown(`issuers ${environment}`, () => fetcher.close());
  const { viTrustedIssuersLive: live, viTrustedIssuersSandbox: sandbox } = config;
  const parts = { environment, fetch: fetcher.fetch, clock, log: log.child({ environment }) };
  return new TrustedIssuers({ live, sandbox }[environment], parts);
}
