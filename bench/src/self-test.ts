import { generate } from './load/generator.js';
import type { LoadResult } from './load/job.js';
import { startStallingServer } from './stalling-server.js';
import { paymentPlan } from './subject.js';

const perSecond = 500;
const durationMs = 4_000;
const stall = { afterMs: 1_500, forMs: 200 };
/** Few, as usual for a closed loop, which then sends next to nothing while the server stalls. */
const connections = 4;

/**
 * The open model must show a stall of 200 ms in its p99, since a twentieth of all requests were due
 * in it. The closed model waits with the server and does not, so no latency is taken from it.
 */
export async function selfTest(): Promise<{ open: LoadResult; closed: LoadResult }> {
  const run = async (model: 'open' | 'closed'): Promise<LoadResult> => {
    const server = await startStallingServer(stall);
    try {
      return await generate({
        model,
        port: server.port,
        plan: paymentPlan([]),
        connections,
        durationMs,
        perSecond,
      });
    } finally {
      await server.close();
    }
  };
  const found = { open: await run('open'), closed: await run('closed') };
  if (found.open.latencyMs.p99 < stall.forMs / 2) throw new Error('the open model hid the stall');
  return found;
}
