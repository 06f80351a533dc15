import { ratioOf } from '../spread.js';
import type { Row } from './row.js';

export const cpu: Row = {
  id: 'P2',
  what: 'CPU per authorize ÷ alt-sql',
  figures: [{ name: 'ratio', better: 'lower', must: 0.85, aim: 0.5 }],
  async measure(bench) {
    const { product, altSql } = await bench.contest();
    return {
      values: [ratioOf(product, altSql, ({ cpuMicrosEach }) => cpuMicrosEach)],
      detail: {
        product: product.map(({ cpuMicrosByProcess }) => cpuMicrosByProcess),
        altSql: altSql.map(({ cpuMicrosByProcess }) => cpuMicrosByProcess),
      },
    };
  },
};
