import { generate } from '../load/generator.js';
import type { LoadResult } from '../load/job.js';
import { measureRound, untilQuiet } from '../rounds.js';
import { spreadOf } from '../spread.js';
import type { Row } from './row.js';

const roundMs = 6_000;
/** Below what the gateway keeps open, above what it can serve at once. */
const connections = 1_024;

export const overload: Row = {
  id: 'P5',
  what: 'twice saturation',
  figures: [
    { name: 'goodput ÷ peak', better: 'higher', must: 0.8, aim: 0.95 },
    { name: '5xx on /authorize', better: 'lower', must: 0, aim: 0 },
  ],
  async measure(bench) {
    const product = await bench.product();
    const peak = await bench.peak();
    const loads: LoadResult[] = [];
    const shares: number[] = [];
    for (let round = 0; round < bench.options.rounds; round += 1) {
      // Beside the peak of the same minute: another tenant of the machine slows both.
      const { perSecond } = await measureRound(bench.lab, product);
      const load = await generate({
        model: 'open',
        port: product.port,
        plan: product.plan(),
        connections,
        durationMs: roundMs,
        perSecond: Math.max(peak, perSecond) * 2,
      });
      loads.push(load);
      shares.push((load.approved * 1_000) / load.elapsedMs / perSecond);
      await untilQuiet(product.pids());
    }
    return {
      values: [spreadOf(shares), spreadOf(loads.map(serverErrors))],
      detail: { peak, offeredPerSecond: peak * 2, loads },
    };
  },
};

function serverErrors({ statuses }: LoadResult): number {
  const entries = Object.entries(statuses).filter(([status]) => status.startsWith('5'));
  return entries.reduce((sum, [, count]) => sum + count, 0);
}
