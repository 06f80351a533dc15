import type { Handler } from '../handler.js';
import { allOk } from '../health.js';

/** Whether this replica takes work: not while it stops, not without its database. */
export const getReadiness: Handler = async ({ health, lifecycle }) => {
  const checks = await health.vital();
  const status = lifecycle.accepting ? (allOk(checks) ? 'ok' : 'down') : 'stopping';
  return { status: status === 'ok' ? 200 : 503, body: { status, checks } };
};
