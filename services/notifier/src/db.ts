import { type PerEnvironment, perEnvironment } from '@countersign/kernel/environment';
import { createPool, type Pool } from '@countersign/runtime/database';
import type { Logger } from '@countersign/runtime/log';
import { PrismaPg } from '@prisma/adapter-pg';
import type { Config } from './config.js';
import { PrismaClient } from './generated/prisma/client.js';

export type Pools = PerEnvironment<Pool>;
export type Prisma = PerEnvironment<PrismaClient>;

export const migrationsFolder = new URL('../prisma/migrations/', import.meta.url);

/** One pool per environment, so that no query can reach the data of the other. */
export function createPools(config: Config, log: Logger): Pools {
  const urls = { live: config.databaseUrlLive, sandbox: config.databaseUrlSandbox };
  return perEnvironment((environment) =>
    createPool({ url: urls[environment], size: config.databasePoolSize, log }),
  );
}

/** Prisma over the same connections, for everything outside the delivery path. */
export function createPrisma(pools: Pools): Prisma {
  return perEnvironment(
    (environment) => new PrismaClient({ adapter: new PrismaPg(pools[environment]) }),
  );
}
