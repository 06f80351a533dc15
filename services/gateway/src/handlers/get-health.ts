import { isoTime } from '@countersign/kernel/clock';
import type { Handler } from '../handler.js';
import { allOk } from '../health.js';
import { version } from '../version.js';

/** How the whole service is, as the edge sees it: 503 only where the gateway is not ready. */
export const getHealth: Handler = async ({ health, clock }) => {
  const [vital, degrading] = await Promise.all([health.vital(), health.degrading()]);
  const down = !allOk(vital);
  const status = down ? 'down' : allOk(degrading) ? 'ok' : 'degraded';
  return {
    status: down ? 503 : 200,
    body: { status, version, time: isoTime(clock()), checks: { ...vital, ...degrading } },
  };
};
