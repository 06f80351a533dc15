import { createPool, type Pool } from '@countersign/runtime/database';
import type { Store as SharedStore } from '@countersign/runtime/database/stores';
import type { Logger } from '@countersign/runtime/log';
import { PrismaPg } from '@prisma/adapter-pg';
import { type Config, spareCommitConnections } from './config.js';
import { PrismaClient } from './generated/prisma/client.js';

/** The pool is for the relay, the upkeep and Prisma. */
export interface Store extends SharedStore<PrismaClient> {
  /** For short statements that hold locks, with short timeouts so that callers do not wait. */
  commits: Pool;
}

// A share of the statement timeout, which is itself below the caller's deadline: the database ends
// and rolls back a slow commit before the caller gives up without knowing its result.
const lockShare = 0.4;
export const readStatementTimeoutMs = 800;

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
