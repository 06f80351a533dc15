import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { withDeadline } from './deadline.js';
import type { Lifecycle } from './lifecycle.js';
import type { Metrics } from './metrics.js';

/** Each check resolves if the component is usable and rejects with the reason if it is not. */
export type HealthChecks = Record<string, () => Promise<void> | void>;

export interface HealthOptions {
  /** Null to listen on all addresses of the machine. */
  host: string | null;
  port: number;
  /** Components without which the process is not ready. */
  checks: HealthChecks;
  /** Components that are reported but do not affect readiness. */
  told?: HealthChecks;
  lifecycle: Lifecycle;
  metrics: Metrics;
}

/** A check that takes longer counts as failed. */
const checkDeadlineMs = 1_000;
const late = new Error('timeout');

/**
 * /livez: the process runs. /readyz: it accepts work, with the state of each component. /metrics.
 * Returns the port; the server closes with the lifecycle.
 */
export async function startHealthServer(options: HealthOptions): Promise<number> {
  const server = createServer((request, response) => {
    answer(options, request.url ?? '/', response).catch(() => send(response, 500, 'error'));
  });
  server.requestTimeout = 5_000;
  const { host } = options;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port: options.port, ...(host !== null && { host }) }, resolve);
  });
  options.lifecycle.onShutdown('health', () => close(server));
  return (server.address() as AddressInfo).port;
}

async function answer(
  options: HealthOptions,
  url: string,
  response: ServerResponse,
): Promise<void> {
  if (url === '/livez') return send(response, 200, JSON.stringify({ status: 'ok' }));
  if (url === '/readyz') {
    const { checks: needed, told = {}, lifecycle } = options;
    const checks = await runChecks({ ...needed, ...told });
    const ready = Object.keys(needed).every((name) => checks[name] === 'ok');
    const status = lifecycle.accepting ? statusOf(ready, checks) : 'stopping';
    const code = ready && lifecycle.accepting ? 200 : 503;
    return send(response, code, JSON.stringify({ status, checks }));
  }
  if (url === '/metrics') {
    const { registry } = options.metrics;
    const text = await registry.metrics();
    response.setHeader('content-type', registry.contentType);
    return send(response, 200, text);
  }
  send(response, 404, JSON.stringify({ status: 'not found' }));
}

function statusOf(ready: boolean, checks: Record<string, string>): string {
  if (!ready) return 'down';
  return Object.values(checks).every((found) => found === 'ok') ? 'ok' : 'degraded';
}

/** `ok` or the reason per component; checks run concurrently, each with the deadline. */
export async function runChecks(checks: HealthChecks): Promise<Record<string, string>> {
  const results = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => [name, await runCheck(check)] as const),
  );
  return Object.fromEntries(results);
}

async function runCheck(check: () => Promise<void> | void): Promise<string> {
  try {
    await withDeadline(Promise.resolve(check()), { ms: checkDeadlineMs, late: () => late });
    return 'ok';
  } catch (error) {
    return error === late ? 'timeout' : 'unavailable';
  }
}

function send(response: ServerResponse, status: number, body: string): void {
  response.statusCode = status;
  if (!response.hasHeader('content-type')) response.setHeader('content-type', 'application/json');
  // Node sets it for all but HEAD.
  response.setHeader('content-length', Buffer.byteLength(body));
  response.end(body);
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
