import type { Environment } from '@countersign/kernel/environment';
import type { Pool } from './database.js';
import type { HealthOptions } from './health.js';

/**
 * Of a service with a database for each environment. Without that of live it is not ready; without
 * that of sandbox it is, and says so: a sandbox that is away must not take live along.
 */
export function databaseChecks(
  pools: Record<Environment, Pool>,
): Pick<HealthOptions, 'checks' | 'told'> {
  const answers = (pool: Pool) => async (): Promise<void> => {
    await pool.query('SELECT 1');
  };
  return {
    checks: { database_live: answers(pools.live) },
    told: { database_sandbox: answers(pools.sandbox) },
  };
}
