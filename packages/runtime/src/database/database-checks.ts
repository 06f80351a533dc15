import type { Environment } from '@countersign/kernel/environment';
import type { Pool } from '../database.js';
import type { HealthOptions } from '../health.js';

/**
 * Health checks of a service with one database per environment. Without the live database it is not
 * ready. Without the sandbox database it stays ready and reports degraded, so that a sandbox outage
 * does not take live down.
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
