import { assertApproved } from '../bench.js';
import { interleave } from '../rounds.js';
import { ratioOf } from '../spread.js';
import type { Row } from './row.js';

export const hotMandate: Row = {
  id: 'P6',
  what: 'one hot mandate ÷ load spread over 10,000 mandates, throughput',
  figures: [{ name: 'ratio', better: 'higher', must: 0.8, aim: 0.95 }],
  async measure(bench) {
    const { lab, options } = bench;
    const subject = await bench.product();
    const [hot = [], spread = []] = await interleave(
      lab,
      [{ subject, options: { variation: { mandates: 1 } } }, { subject }],
      options.rounds,
    );
    assertApproved([...hot, ...spread]);
    return {
      values: [ratioOf(hot, spread, ({ perSecond }) => perSecond)],
      detail: { hot, spread },
    };
  },
};
