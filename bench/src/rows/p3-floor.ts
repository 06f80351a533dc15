import { ratioOf } from '../spread.js';
import type { Row } from './row.js';

export const floor: Row = {
  id: 'P3',
  what: 'CPU per authorize ÷ floor-stream',
  figures: [{ name: 'ratio', better: 'lower', must: 2, aim: 1.4 }],
  async measure(bench) {
    const { product, floor: under } = await bench.contest();
    return {
      values: [ratioOf(product, under, ({ cpuMicrosEach }) => cpuMicrosEach)],
      detail: { floor: under },
    };
  },
};
