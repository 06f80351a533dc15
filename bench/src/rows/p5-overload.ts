import { setTimeout as pause } from 'node:timers/promises';
import { generate } from '../load/generator.js';
import type { LoadResult } from '../load/job.js';
import { measureRound, untilQuiet, warmUp } from '../rounds.js';
import { largestOf, spreadOf } from '../spread.js';
import { sustainOverload } from '../sustained-overload.js';
import type { Row } from './row.js';

const roundMs = 6_000;
/** Below the gateway's limit of connections, above what it can serve concurrently. */
const connections = 1_024;
/** Time after an overload within which everything must be back to normal. */
const recoveryMs = 5_000;

export const overload: Row = {
  id: 'P5',
  what: 'twice saturation',
  figures: [
    { name: 'goodput ÷ peak', better: 'higher', must: 0.8, aim: 0.95 },
    { name: '5xx on /authorize', better: 'lower', must: 0, aim: 0 },
    { name: 'memory after 30 s ÷ at its start', better: 'lower', must: 1.1, aim: 1.05 },
    { name: 'until all is as before', better: 'lower', must: 5, aim: 2, unit: 's' },
  ],
  async measure(bench) {
    const product = await bench.product();
    await warmUp(bench.lab, product);
    const loads: LoadResult[] = [];
    const shares: number[] = [];
    const peaks: number[] = [];
    for (let round = 0; round < bench.options.rounds; round += 1) {
      await pause(recoveryMs);
      // Measured right before, because other load on the machine affects both alike.
      const peak = goodput((await measureRound(bench.lab, product)).load);
      peaks.push(peak);
      const load = await generate({
        model: 'open',
        port: product.port,
        plan: product.plan(),
        connections,
        durationMs: roundMs,
        perSecond: peak * 2,
      });
      loads.push(load);
      shares.push(goodput(load) / peak);
      await untilQuiet(product.pids());
    }
    const { median: peak } = spreadOf(peaks);
    const long = await sustainOverload(product, { peak, connections });
    return {
      values: [
        spreadOf(shares),
        largestOf([...loads, long.load].map(serverErrors)),
        spreadOf([long.growth]),
        spreadOf([long.recoverySeconds]),
      ],
      detail: { peaks, loads, long },
    };
  },
};

/** Decisions per second, without refused and fail-safe ones. */
function goodput({ approved, elapsedMs }: LoadResult): number {
  return (approved * 1_000) / elapsedMs;
}

function serverErrors({ statuses }: LoadResult): number {
  const entries = Object.entries(statuses).filter(([status]) => status.startsWith('5'));
  return entries.reduce((sum, [, count]) => sum + count, 0);
}
