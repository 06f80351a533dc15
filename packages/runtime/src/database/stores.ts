import { environments, type PerEnvironment } from '@countersign/kernel/environment';
import type { Pool } from '../database.js';
import type { Lifecycle } from '../lifecycle.js';
import type { Metrics } from '../metrics.js';
import type { databaseSettings } from '../process-settings.js';
import type { Settings } from '../settings.js';
import { assertMigrated } from './migrations.js';
import { type WatchedPool, watchPools } from './pool-metrics.js';

/** What every generated Prisma client has. */
interface PrismaConnection {
  $connect(): Promise<void>;
  $disconnect(): Promise<void>;
}

/** Two clients of one database: the pool runs the statements of the hot path, Prisma the others. */
export interface Store<Prisma extends PrismaConnection = PrismaConnection> {
  pool: Pool;
  prisma: Prisma;
}

/** Opens each environment's own database, so that no query can reach the data of the other. */
export function openStores<S extends Store>(
  { databaseUrlLive, databaseUrlSandbox }: Settings<typeof databaseSettings>,
  lifecycle: Lifecycle,
  open: (url: string) => S,
): PerEnvironment<S> {
  const stores = { live: open(databaseUrlLive), sandbox: open(databaseUrlSandbox) };
  lifecycle.onShutdown('databases', async () => {
    await Promise.all(environments.map((environment) => closeStore(stores[environment])));
  });
  return stores;
}

export async function closeStore({ pool, prisma }: Store): Promise<void> {
  await prisma.$disconnect();
  await pool.end();
}

interface Preparation {
  metrics: Metrics;
  /** The folder with the migrations that this build requires; throws if one is not applied. */
  migrations: URL;
  /** Pools beside those of the stores. */
  furtherPools?: readonly WatchedPool[];
}

/** What has to be done before the first call is answered. */
export async function prepareStores(
  stores: PerEnvironment<Store>,
  { metrics, migrations, furtherPools = [] }: Preparation,
): Promise<void> {
  const pools = environments.map((environment) => ({
    environment,
    pool: stores[environment].pool,
  }));
  watchPools(metrics, [...pools, ...furtherPools]);
  for (const environment of environments) {
    await assertMigrated(stores[environment].pool, migrations);
    // Loads Prisma's query compiler, which within the first request would block all others.
    await stores[environment].prisma.$connect();
  }
}
