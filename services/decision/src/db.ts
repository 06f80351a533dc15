import { createPool } from '@countersign/runtime/database';
import type { Store as SharedStore } from '@countersign/runtime/database/stores';
import type { Logger } from '@countersign/runtime/log';
import { PrismaPg } from '@prisma/adapter-pg';
import { PrismaClient } from './generated/prisma/client.js';

export type Store = SharedStore<PrismaClient>;

export const statementTimeoutMs = 2_000;
const lockTimeoutMs = 1_000;

export function openStore(url: string, options: { size: number; log: Logger }): Store {
  const pool = createPool({ url, ...options, statementTimeoutMs, lockTimeoutMs });
  return { prisma: new PrismaClient({ adapter: new PrismaPg(pool) }), pool };
}
