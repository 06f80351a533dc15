import { createPool, type Pool } from '@countersign/runtime/database';
import type { Logger } from '@countersign/runtime/log';
import { PrismaPg } from '@prisma/adapter-pg';
import { PrismaClient } from './generated/prisma/client.js';

/** Two clients of one database: the pool runs the statements of the hot path, Prisma the others. */
export interface Store {
  prisma: PrismaClient;
  pool: Pool;
}

const statementTimeoutMs = 2_000;
const lockTimeoutMs = 1_000;

export function openStore(url: string, options: { size: number; log: Logger }): Store {
  const pool = createPool({ url, ...options, statementTimeoutMs, lockTimeoutMs });
  return { prisma: new PrismaClient({ adapter: new PrismaPg(pool) }), pool };
}

export async function closeStore({ prisma, pool }: Store): Promise<void> {
  await prisma.$disconnect();
  await pool.end();
}
