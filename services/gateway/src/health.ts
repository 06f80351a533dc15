import type { HealthChecks } from '@countersign/runtime/health';
import type { Context } from './context.js';

const readyDeadlineMs = 800;

/** Without these nothing can be answered: readiness follows them. */
export function vitalChecks({ pool }: Pick<Context, 'pool'>): HealthChecks {
  return {
    database: async () => {
      await pool.query('SELECT 1');
    },
  };
}

/** Without these the gateway still answers, if less well: `degraded`, never `down`. */
export function degradingChecks({
  redis,
  clients,
}: Pick<Context, 'redis' | 'clients'>): HealthChecks {
  const services = Object.entries(clients).map(
    ([name, client]) => [name, () => client.ready(readyDeadlineMs)] as const,
  );
  return {
    redis: async () => {
      await redis.ping();
    },
    ...Object.fromEntries(services),
  };
}
