import { assertApproved } from '../bench.js';
import { ratioOf } from '../spread.js';
import type { Row } from './row.js';

export const throughput: Row = {
  id: 'P1',
  what: 'throughput of /authorize, everything on ÷ alt-sql',
  figures: [{ name: 'ratio', better: 'higher', must: 1.2, aim: 2 }],
  async measure(bench) {
    const { product, altSql } = await bench.contest();
    assertApproved([...product, ...altSql]);
    return {
      values: [ratioOf(product, altSql, ({ perSecond }) => perSecond)],
      detail: { product, altSql },
    };
  },
};
