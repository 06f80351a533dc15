import { startHealthServer } from '@countersign/runtime/health';
import { sweepChore } from '@countersign/runtime/retention';
import { startUpkeep } from '@countersign/runtime/upkeep';
import { createApp } from './app.js';
import type { Context } from './context.js';
import { startFailSafeDrainer } from './fail-safe/drainer.js';
import { vitalChecks } from './health.js';
import { connectionLimit, watchConnections } from './http/connections.js';
import { listen } from './http/http-server.js';
import { oldKeySweeps } from './idempotency/rows.js';
import { createOperatorApp } from './operator/app.js';
import { routes } from './routes.js';

interface Ports {
  port: number;
  /** Null where no ADMIN_KEY is configured: then there is no operator listener at all. */
  internalPort: number | null;
  healthPort: number;
}

const operatorConnections = 64;
const oldKeysEveryMs = 10 * 60_000;

/** Opens the listeners; the operator's only where there is a key to guard it. */
export async function startServer(context: Context): Promise<Ports> {
  const { config, lifecycle, metrics, log } = context;
  // Before it is called ready, since it takes a while.
  await context.authentication.announcements.start(lifecycle);
  const healthPort = await startHealthServer({
    host: config.healthHost,
    port: config.healthPort,
    checks: vitalChecks(context),
    lifecycle,
    metrics,
  });
  startFailSafeDrainer(context);
  const oldKeys = sweepChore('forgot idempotency keys', context.pool, oldKeySweeps);
  startUpkeep([oldKeys], { log, lifecycle, everyMs: oldKeysEveryMs });
  const port = await listenToCallers(context);
  const internalPort = config.adminKey === null ? null : await listenToOperator(context);
  return { port, internalPort, healthPort };
}

function listenToCallers(context: Context): Promise<number> {
  const { config, lifecycle, metrics, log } = context;
  const maxConnections = connectionLimit(config);
  if (maxConnections < config.maxConnections) {
    log.warn({ maxConnections }, 'the limit of open files is too low for MAX_CONNECTIONS');
  }
  return listen(createApp(context, routes), {
    name: 'public listener',
    host: config.host,
    port: config.port,
    maxConnections,
    baseUrl: config.baseUrl,
    lifecycle,
    watch: (server) => watchConnections(server, maxConnections, metrics),
  });
}

function listenToOperator(context: Context): Promise<number> {
  const { config, lifecycle } = context;
  return listen(createOperatorApp(context), {
    name: 'operator listener',
    host: config.internalHost,
    port: config.internalPort,
    maxConnections: operatorConnections,
    baseUrl: config.baseUrl,
    lifecycle,
  });
}
