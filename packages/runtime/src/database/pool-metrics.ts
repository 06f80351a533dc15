import type { Environment } from '@countersign/kernel/environment';
import type { Pool } from '../database.js';
import type { Metrics } from '../metrics.js';

export interface WatchedPool {
  pool: Pool;
  /** Absent for a database that serves both environments. */
  environment?: Environment;
  /** Distinguishes the pools of a process that has several for one database. */
  name?: string;
}

/**
 * Reports the connections of a process when its metrics are scraped: a pool that is too small makes
 * calls slow and then fail, which looks like a slow database.
 */
export function watchPools(metrics: Metrics, pools: readonly WatchedPool[]): void {
  const connections = metrics.gauge(
    'database_connections',
    'connections to the database, by what they do',
    ['environment', 'pool', 'state'],
  );
  metrics.sample(connections, (gauge) => {
    for (const watched of pools) {
      const { idleCount: idle, totalCount: open } = watched.pool;
      gauge.set({ ...labelsOf(watched), state: 'idle' }, idle);
      gauge.set({ ...labelsOf(watched), state: 'busy' }, open - idle);
    }
  });
  const waiting = metrics.gauge(
    'database_waiting',
    'calls that wait for a connection to the database',
    ['environment', 'pool'],
  );
  metrics.sample(waiting, (gauge) => {
    for (const watched of pools) gauge.set(labelsOf(watched), watched.pool.waitingCount);
  });
}

function labelsOf({ environment, name }: WatchedPool): { environment: string; pool: string } {
  return { environment: environment ?? 'both', pool: name ?? 'main' };
}
