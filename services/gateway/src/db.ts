import type { Pool } from '@countersign/runtime/database';
import { PrismaPg } from '@prisma/adapter-pg';
import { PrismaClient } from './generated/prisma/client.js';

export type { Prisma, PrismaClient } from './generated/prisma/client.js';

/** Prisma over the pool of the hot statements: one bound on connections, one place to close. */
export function createPrisma(pool: Pool): PrismaClient {
  return new PrismaClient({ adapter: new PrismaPg(pool) });
}
