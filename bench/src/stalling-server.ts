import { createServer } from 'node:http';
import { type Listening, listening } from '@countersign/runtime/testing/listening';

const body = JSON.stringify({ decision: 'APPROVE' });

/**
 * Responds immediately except during one stall, like the pause of a garbage collector or a
 * database, which begins this long after the first request.
 */
export async function startStallingServer(stall: {
  afterMs: number;
  forMs: number;
}): Promise<Listening> {
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
  return listening(server);
}
