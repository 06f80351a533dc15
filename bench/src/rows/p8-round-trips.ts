import { measureRound, warmUp } from '../rounds.js';
import { readCounter } from '../service-metrics.js';
import { spreadOf } from '../spread.js';
import type { Figure, Row } from './row.js';

const counter = { name: 'countersign_round_trips_total', label: 'kind' };
const most = (name: string, must: number, aim: number): Figure => ({
  name,
  better: 'lower',
  must,
  aim,
});
const kinds = ['grpc', 'redis', 'postgres', 'publish'] as const;

/** So few that the warm-up covers all of them, whatever was measured before. */
const warm = { variation: { mandates: 1_000 } };

export const roundTrips: Row = {
  id: 'P8',
  what: 'a warm authorize under load',
  figures: [
    most('gRPC hops', 2, 2),
    most('Redis round trips', 2, 1),
    most('PostgreSQL statements', 0.25, 0.1),
    most('publishes', 0.25, 0.1),
  ],
  async measure(bench) {
    const product = await bench.product();
    const { lab, options } = bench;
    await warmUp(lab, product, warm);
    const found: Array<Record<string, number>> = [];
    for (let round = 0; round < options.rounds; round += 1) {
      const pids = Object.values(product.pids());
      const before = await readCounter(counter, pids);
      const { load } = await measureRound(lab, product, warm);
      const after = await readCounter(counter, pids);
      const each = (kind: string): number =>
        ((after[kind] ?? 0) - (before[kind] ?? 0)) / load.completed;
      found.push(Object.fromEntries(kinds.map((kind) => [kind, each(kind)])));
    }
    return {
      values: kinds.map((kind) => spreadOf(found.map((each) => each[kind] ?? 0))),
      detail: { found },
    };
  },
};
