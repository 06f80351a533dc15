import { createPool, type Pool } from '@countersign/runtime/database';
import type { Logger } from '@countersign/runtime/log';
import { PrismaPg } from '@prisma/adapter-pg';
import { type Config, spareCommitConnections } from './config.js';
import { Prisma, PrismaClient } from './generated/prisma/client.js';

/** The connections to one environment's database. */
export interface Store {
  /** Short statements that hold locks: they end early rather than make a caller wait. */
  commits: Pool;
  /** The relay, the sweep, and Prisma. */
  pool: Pool;
  prisma: PrismaClient;
}

// Part of the statement timeout. That is below the caller's deadline, so that a slow commit is
// ended and rolled back by the database, rather than abandoned with an unknown result.
const lockShare = 0.4;
const readStatementTimeoutMs = 800;

export function openStore(url: string, { config, log }: { config: Config; log: Logger }): Store {
  const statementTimeoutMs = config.commitTimeoutMs;
  const lockTimeoutMs = Math.ceil(statementTimeoutMs * lockShare);
  const commitConnections = config.commitLanes + spareCommitConnections;
  const commits = createPool({
    url,
    size: commitConnections,
    log,
    statementTimeoutMs,
    lockTimeoutMs,
  });
  const pool = createPool({
    url,
    size: config.databasePoolSize - commitConnections,
    log,
    statementTimeoutMs: readStatementTimeoutMs,
    lockTimeoutMs,
  });
  return { commits, pool, prisma: new PrismaClient({ adapter: new PrismaPg(pool) }) };
}

export async function closeStore({ commits, pool, prisma }: Store): Promise<void> {
  await prisma.$disconnect();
  await Promise.all([commits.end(), pool.end()]);
}

/** The database could not be reached, by Prisma's account: its codes P1000 to P1999. */
export function isPrismaConnectionFailure(error: unknown): boolean {
  return (
    error instanceof Prisma.PrismaClientInitializationError ||
    (error instanceof Prisma.PrismaClientKnownRequestError && error.code.startsWith('P1'))
  );
}
