import { readFileSync } from 'node:fs';
import type { Server } from 'node:net';
import type { Metrics } from '@countersign/runtime/metrics';

/** File descriptors for everything but the database: other services, the operator, files. */
const otherDescriptors = 256;

interface Wanted {
  maxConnections: number;
  databasePoolSize: number;
}

/**
 * The number of connections that callers may have: as many as configured, but no more than leave
 * descriptors for everything else. Without any, the gateway could not reconnect to what it needs.
 */
export function connectionLimit(wanted: Wanted, openFiles = openFileLimit()): number {
  const others = otherDescriptors + wanted.databasePoolSize;
  const left = Math.max(openFiles - others, Math.floor(openFiles / 2));
  return Math.min(wanted.maxConnections, left);
}

/** Infinity where there is none, or where the system does not say. */
export function openFileLimit(file = '/proc/self/limits'): number {
  try {
    const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync(file, 'utf8')) ?? [];
    return soft === undefined ? Number.POSITIVE_INFINITY : Number(soft);
  } catch {
    // Only Linux has this file.
    return Number.POSITIVE_INFINITY;
  }
}

/** Connections beyond the limit are closed unanswered, so only metrics can tell of them. */
export function watchConnections(server: Server, limit: number, metrics: Metrics): void {
  metrics.gauge('connection_limit', 'connections that callers may have').set(limit);
  const refused = metrics.counter('connections_refused_total', 'connections beyond the limit');
  server.on('drop', () => refused.inc());
  let open = 0;
  server.on('connection', (socket) => {
    open += 1;
    socket.once('close', () => {
      open -= 1;
    });
  });
  const gauge = metrics.gauge('connections', 'connections that callers have');
  metrics.sample(gauge, () => gauge.set(open));
}
