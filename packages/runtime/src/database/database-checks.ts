import type { PerEnvironment } from '@countersign/kernel/environment';
import type { HealthOptions } from '../health.js';
import type { Store } from './stores.js';

/**
 * Health checks of a service with one database per environment. Without the live database it is not
 * ready. Without the sandbox database it stays ready and reports degraded, so that a sandbox outage
 * does not take live down.
 */
export function databaseChecks(
  stores: PerEnvironment<Pick<Store, 'pool'>>,
): Pick<HealthOptions, 'checks' | 'told'> {
  const answers =
    ({ pool }: Pick<Store, 'pool'>) =>
    async (): Promise<void> => {
      await pool.query('SELECT 1');
    };
  return {
    checks: { database_live: answers(stores.live) },
    told: { database_sandbox: answers(stores.sandbox) },
  };
}
