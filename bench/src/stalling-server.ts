import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface StallingServer {
  port: number;
  close(): void;
}

const body = JSON.stringify({ decision: 'APPROVE' });

/**
 * Responds immediately except during one stall, like the pause of a garbage collector or a
 * database, which begins this long after the first request.
 */
export async function startStallingServer(stall: {
  afterMs: number;
  forMs: number;
}): Promise<StallingServer> {
  let stallsFrom: number | null = null;
  const server = createServer((request, response) => {
    request.resume();
    const now = performance.now();
    stallsFrom ??= now + stall.afterMs;
    const until = stallsFrom + stall.forMs;
    const answer = (): void => void response.end(body);
    if (now >= stallsFrom && now < until) setTimeout(answer, until - now);
    else answer();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
