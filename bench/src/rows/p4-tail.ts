import { generate } from '../load/generator.js';
import type { LoadResult } from '../load/job.js';
import { spreadOf } from '../spread.js';
import type { Row } from './row.js';

const roundMs = 6_000;
const connections = 256;

export const tail: Row = {
  id: 'P4',
  what: 'p99 ÷ p50 of /authorize at half load, open model',
  figures: [{ name: 'ratio', better: 'lower', must: 4, aim: 2.5 }],
  async measure(bench) {
    const product = await bench.product();
    const perSecond = (await bench.peak()) / 2;
    const loads: LoadResult[] = [];
    for (let round = 0; round < bench.options.rounds; round += 1) {
      loads.push(
        await generate({
          model: 'open',
          port: product.port,
          plan: product.plan(),
          connections,
          durationMs: roundMs,
          perSecond,
        }),
      );
    }
    return {
      values: [spreadOf(loads.map(({ latencyMs }) => latencyMs.p99 / latencyMs.p50))],
      detail: { perSecond, loads },
    };
  },
};
