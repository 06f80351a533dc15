import { isoTime } from '@countersign/kernel/clock';
import { runChecks } from '@countersign/runtime/health';
import type { Handler } from '../handler.js';
import { degradingChecks, vitalChecks } from '../health.js';
import { version } from '../version.js';

/** How the whole service is, as the edge sees it: 503 only where nothing can be answered. */
export const getHealth: Handler = async (context) => {
  const [vital, degrading] = await Promise.all([
    runChecks(vitalChecks(context)),
    runChecks(degradingChecks(context)),
  ]);
  const down = !allOk(vital);
  const status = down ? 'down' : allOk(degrading) ? 'ok' : 'degraded';
  return {
    status: down ? 503 : 200,
    body: {
      status,
      version,
      time: isoTime(context.clock()),
      checks: { ...vital, ...degrading },
    },
  };
};

function allOk(checks: Record<string, string>): boolean {
  return Object.values(checks).every((check) => check === 'ok');
}
