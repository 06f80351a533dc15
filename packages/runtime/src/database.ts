import { Pool, type PoolClient } from 'pg';
import type { Logger } from './log.js';

export type { Pool, PoolClient } from 'pg';

export interface PoolOptions {
  url: string;
  size: number;
  log: Logger;
  /** The database ends a statement that takes longer; the answer is then unknown to nobody. */
  statementTimeoutMs?: number;
  lockTimeoutMs?: number;
}

export function createPool(options: PoolOptions): Pool {
  const pool = new Pool({
    connectionString: options.url,
    max: options.size,
    connectionTimeoutMillis: 1_000,
    idleTimeoutMillis: 60_000,
    keepAlive: true,
    statement_timeout: options.statementTimeoutMs ?? 5_000,
    lock_timeout: options.lockTimeoutMs ?? 1_000,
    idle_in_transaction_session_timeout: 10_000,
  });
  // Without a listener on both, a restart of the database ends the process.
  pool.on('error', (error) => options.log.warn({ err: error }, 'idle database connection lost'));
  pool.on('connect', (client) => {
    client.on('error', (error) => options.log.warn({ err: error }, 'database connection lost'));
  });
  return pool;
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
    await client.query('ROLLBACK').catch((lost: Error) => {
      broken = lost;
    });
    throw error;
  } finally {
    client.release(broken);
  }
}
