import { Pool, type PoolClient } from 'pg';
import { openSession } from './database/session.js';
import type { Logger } from './log.js';

export type { Pool, PoolClient } from 'pg';

interface PoolOptions {
  url: string;
  size: number;
  log: Logger;
  /** The server cancels statements that take longer, so that their outcome is known. */
  statementTimeoutMs?: number;
  lockTimeoutMs?: number;
}

const usualStatementTimeoutMs = 5_000;
/**
 * Margin beyond the statement timeout of the server. A connection whose peer has vanished without
 * closing it looks open for a quarter of an hour, so one that stays silent for this long is closed.
 */
const longestSilenceMs = 2_000;
const connectTimeoutMs = 1_000;
const idleInTransactionTimeoutMs = 10_000;

export function createPool(options: PoolOptions): Pool {
  const { statementTimeoutMs = usualStatementTimeoutMs, lockTimeoutMs = 1_000 } = options;
  const timeouts = { statementTimeoutMs, lockTimeoutMs, idleInTransactionTimeoutMs };
  const pool = new Pool({
    connectionString: options.url,
    max: options.size,
    connectionTimeoutMillis: connectTimeoutMs,
    idleTimeoutMillis: 60_000,
    keepAlive: true,
    query_timeout: statementTimeoutMs + longestSilenceMs,
    onConnect: (client) => openSession(client, timeouts, connectTimeoutMs),
  });
  // Without an error listener on both, a restart of the database would end the process.
  pool.on('error', (error) => options.log.warn({ err: error }, 'idle database connection lost'));
  pool.on('connect', (client) => {
    client.on('error', (error) => options.log.warn({ err: error }, 'database connection lost'));
  });
  pool.on('release', (_error, client) => endUnfinished(client));
  return pool;
}

/**
 * A connection that is released inside a transaction must not be reused: the statements of the next
 * one to use it would become part of that transaction. Prisma releases a connection like this when
 * neither a statement nor the ROLLBACK after it is answered within `query_timeout`.
 */
function endUnfinished(client: PoolClient): void {
  if (client.getTransactionStatus() !== 'I') void client.end();
}

/** BEGIN … COMMIT on one connection; rolls back and rethrows whatever the work throws. */
export async function inTransaction<T>(
  pool: Pool,
  work: (client: PoolClient) => Promise<T>,
  begin = 'BEGIN',
): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query(begin);
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    broken = await undone(client, error);
    throw error;
  } finally {
    client.release(broken);
  }
}

/** SQLSTATE of a server that takes no writes: a standby, or a primary that has been demoted. */
const readOnly = '25006';
/** SQLSTATE of a statement prepared before a migration that changed what it returns. */
const outdatedPlan = '0A000';
/** Message of the driver's own timeout. */
const silence = 'Query read timeout';

/** Rolls back. Returns an error if the connection must be discarded. */
async function undone(client: PoolClient, error: unknown): Promise<Error | undefined> {
  const { code, message } = error as Error & { code?: string };
  if (code === readOnly || code === outdatedPlan || message === silence) return error as Error;
  return client.query('ROLLBACK').then(
    () => undefined,
    (lost: Error) => lost,
  );
}
