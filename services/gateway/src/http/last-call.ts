import { once } from 'node:events';
import type { Server } from 'node:http';
import { Server as TcpServer } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { lastCallMs } from './arrival.js';

const sweepMs = 50;
const finishCapMs = 8_000;

/**
 * Takes no more connections, answers what is on its way on the open ones, closes them as they
 * become idle, and cuts those that hang past the cap.
 */
export async function finish(server: Server): Promise<void> {
  // Connections that have reached this machine are taken first: closing would reset them.
  await nextTurn();
  await nextTurn();
  const closed = once(server, 'close');
  // That of HTTP would reset idle connections, and with them requests that nobody has read yet.
  TcpServer.prototype.close.call(server);
  // A connection on which nothing was ever sent is not idle for Node: it waits for a head.
  server.headersTimeout = lastCallMs;
  const lastCallEndsAt = performance.now() + lastCallMs;
  const sweep = setInterval(() => {
    if (performance.now() >= lastCallEndsAt) server.closeIdleConnections();
  }, sweepMs);
  const cut = setTimeout(() => server.closeAllConnections(), finishCapMs);
  await closed;
  clearTimeout(cut);
  clearInterval(sweep);
  // Ends the timer by which Node checks its timeouts.
  server.close();
}
