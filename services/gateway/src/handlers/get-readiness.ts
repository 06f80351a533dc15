import { runChecks } from '@countersign/runtime/health';
import type { Handler } from '../handler.js';
import { vitalChecks } from '../health.js';

/** Whether this replica takes work: not while it stops, not without its database. */
export const getReadiness: Handler = async (context) => {
  const checks = await runChecks(vitalChecks(context));
  const usable = Object.values(checks).every((check) => check === 'ok');
  const { accepting } = context.lifecycle;
  const status = accepting ? (usable ? 'ok' : 'down') : 'stopping';
  return { status: status === 'ok' ? 200 : 503, body: { status, checks } };
};
