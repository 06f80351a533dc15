import { hkdfSync } from 'node:crypto';
import { type Clock, systemClock } from '@countersign/kernel/clock';
import { createPool, type Pool } from '@countersign/runtime/database';
import { assertMigrated } from '@countersign/runtime/database/migrations';
import { watchPools } from '@countersign/runtime/database/pool-metrics';
import type { Lifecycle } from '@countersign/runtime/lifecycle';
import type { Logger } from '@countersign/runtime/log';
import { Metrics } from '@countersign/runtime/metrics';
import { connectRedis, type Redis } from '@countersign/runtime/redis';
import type { Tracer } from '@countersign/runtime/trace';
import { openTracing } from '@countersign/runtime/tracing';
import { Authentication } from './authentication/authentication.js';
import { resealTokenKeys } from './authentication/reseal.js';
import { TokenKeys } from './authentication/token-keys.js';
import { type Clients, createClients } from './clients.js';
import type { Config } from './config.js';
import { readSite, type SiteFile } from './console/site.js';
import { createPrisma, type PrismaClient } from './db.js';
import { FailSafeJournal } from './fail-safe/journal.js';
import { KeysInFlight } from './fail-safe/keys-in-flight.js';
import { Health } from './health.js';
import { PublishedKeys } from './published-keys.js';

/** Everything a handler needs. Whoever made a part closes it, through the lifecycle. */
export interface Context {
  config: Config;
  log: Logger;
  lifecycle: Lifecycle;
  metrics: Metrics;
  /** Null where traces are off. */
  tracer: Tracer | null;
  clock: Clock;
  /** The gateway's own database, raw for the hot statements and by Prisma for the rest. */
  pool: Pool;
  prisma: PrismaClient;
  /** Holds only what may be lost; every use of it has a way to do without. */
  redis: Redis;
  clients: Clients;
  /** For encodeCursor and decodeCursor; the same on every replica. */
  cursorKey: Buffer;
  /** ES256 keys of access tokens; `publicKeys()` is what the JWKS has of them. */
  tokenKeys: TokenKeys;
  authentication: Authentication;
  /** Answers given while nobody could record them, kept on this replica's own volume. */
  failSafeJournal: FailSafeJournal;
  /** Which idempotency keys are being answered here. */
  keysInFlight: KeysInFlight;
  /** What the JWKS and the list of public keys show. */
  publishedKeys: PublishedKeys;
  /** What the public health endpoints show. */
  health: Health;
  /** What a browser is sent under /console/; none where it is switched off. */
  consoleFiles: readonly SiteFile[];
}

type Given = Pick<Context, 'log' | 'lifecycle'> & Partial<Pick<Context, 'clock'>>;

const hotStatementTimeoutMs = 1_000;

/** Refuses a database that lacks a migration. */
export async function createContext(config: Config, given: Given): Promise<Context> {
  const { log, lifecycle } = given;
  const metrics = new Metrics('gateway');
  const tracer = await openTracing(config, { service: 'gateway', log, lifecycle, metrics });
  const clock = given.clock ?? systemClock;
  const pool = openPool(config, given);
  watchPools(metrics, [{ pool }]);
  await assertMigrated(pool, new URL('../prisma/migrations/', import.meta.url));
  const prisma = createPrisma(pool);
  lifecycle.onShutdown('prisma', () => prisma.$disconnect());
  // Loads Prisma's compiler now: within somebody's first request it would hold up all the others.
  await prisma.$connect();
  const redis = connectRedis(config, { log, lifecycle });
  const clients = createClients(config, metrics, lifecycle);
  const cursorKey = derivedKey(config.secretsKey, 'cursor');
  const cipherKey = sealingKey(config.secretsKey);
  const formerKeys = config.secretsKeysPrevious.map(sealingKey);
  if (formerKeys.length > 0) await resealTokenKeys({ pool, log, cipherKey, formerKeys });
  const parts = { config, log, lifecycle, metrics, tracer, clock, pool, prisma, redis, clients };
  const tokenKeys = new TokenKeys({ prisma, cipherKey, formerKeys, clock, log });
  await tokenKeys.warmUp();
  const authentication = new Authentication({ ...parts, tokenKeys });
  const failSafeJournal = await FailSafeJournal.open({
    path: config.failSafeJournal,
    maxBytes: config.failSafeJournalMaxBytes,
    log,
    metrics,
  });
  lifecycle.onShutdown('fail-safe journal', () => failSafeJournal.close());
  const { oauthEnvironments } = config;
  const publishedKeys = new PublishedKeys({ clients, tokenKeys, clock, oauthEnvironments });
  const keys = { cursorKey, tokenKeys, publishedKeys };
  const health = new Health(parts);
  const keysInFlight = new KeysInFlight();
  const consoleFiles = config.console === 'on' ? await readSite() : [];
  return {
    ...parts,
    ...keys,
    authentication,
    failSafeJournal,
    keysInFlight,
    health,
    consoleFiles,
  };
}

function openPool(config: Config, { log, lifecycle }: Given): Pool {
  const pool = createPool({
    url: config.databaseUrl,
    size: config.databasePoolSize,
    log,
    statementTimeoutMs: hotStatementTimeoutMs,
  });
  lifecycle.onShutdown('database', () => pool.end());
  return pool;
}

/** 32 bytes for AES-256-GCM of what is sealed at rest. */
export function sealingKey(secret: Buffer): Buffer {
  return derivedKey(secret, 'sealed at rest');
}

/** One secret in the configuration, one key for each purpose. */
function derivedKey(secret: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, Buffer.alloc(0), `countersign ${purpose}`, 32));
}
