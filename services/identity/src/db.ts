import { createPool } from '@countersign/runtime/database';
import type { Store as SharedStore } from '@countersign/runtime/database/stores';
import type { Logger } from '@countersign/runtime/log';
import { PrismaPg } from '@prisma/adapter-pg';
import { Prisma, PrismaClient } from './generated/prisma/client.js';

export type Store = SharedStore<PrismaClient>;

/** The Prisma client, or one of its transactions. */
export type Reader = Prisma.TransactionClient;
export type Transaction = Prisma.TransactionClient;

const statementTimeoutMs = 2_000;
const lockTimeoutMs = 1_000;

export function openStore(url: string, options: { size: number; log: Logger }): Store {
  const pool = createPool({ url, ...options, statementTimeoutMs, lockTimeoutMs });
  const prisma = new PrismaClient({
    adapter: new PrismaPg(pool),
    transactionOptions: { maxWait: 2_000, timeout: 5_000 },
  });
  return { prisma, pool };
}

/** The name of the unique index that a write violated; null if it failed for another reason. */
export function violatedIndex(error: unknown): string | null {
  if (!(error instanceof Prisma.PrismaClientKnownRequestError) || error.code !== 'P2002') {
    return null;
  }
  const meta = error.meta as { driverAdapterError?: { cause?: { constraint?: unknown } } };
  const constraint = meta.driverAdapterError?.cause?.constraint as { index?: string } | undefined;
  return constraint?.index ?? '';
}
