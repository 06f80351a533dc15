import { type PerEnvironment, perEnvironment } from '@countersign/kernel/environment';
import { createPool, type Pool } from '@countersign/runtime/database';
import type { Logger } from '@countersign/runtime/log';
import { PrismaPg } from '@prisma/adapter-pg';
import type { Config } from './config.js';
import { PrismaClient } from './generated/prisma/client.js';

export type Pools = PerEnvironment<Pool>;
export type Prisma = PerEnvironment<PrismaClient>;

export const migrationsFolder = new URL('../prisma/migrations/', import.meta.url);

/** Separate connections for each environment, so that no query can reach the other's database. */
export function createPools(config: Config, log: Logger): Pools {
  const urls = { live: config.databaseUrlLive, sandbox: config.databaseUrlSandbox };
  return perEnvironment((environment) =>
    createPool({ url: urls[environment], size: config.databasePoolSize, log }),
  );
}

/** Prisma over the same connections. */
export function createPrisma(pools: Pools): Prisma {
  return perEnvironment(
    (environment) => new PrismaClient({ adapter: new PrismaPg(pools[environment]) }),
  );
}

/** The time of the database, which settlements use because the clocks of replicas differ. */
export async function databaseTime(pool: Pool): Promise<Date> {
  const { rows } = await pool.query<{ now: Date }>('SELECT now() AS now');
  const [row] = rows;
  if (!row) throw new Error('the database returned no time');
  return row.now;
}
