import { assertApproved } from '../bench.js';
import { interleave, type Round } from '../rounds.js';
import { ratioOf } from '../spread.js';
import { nextFirstKey } from '../subject.js';
import type { Row } from './row.js';

/** So few that the warm-up uses each of them once. */
const keys = 1_000;

const cpuOf = ({ cpuMicrosEach }: Round): number => cpuMicrosEach;

export const credentials: Row = {
  id: 'P13',
  what: 'CPU per authorize',
  figures: [
    { name: 'Bearer token ÷ API key', better: 'lower', must: 1.05, aim: 1 },
    { name: 'replay of a key ÷ first use', better: 'lower', must: 0.6, aim: 0.3 },
  ],
  async measure(bench) {
    const subject = await bench.product();
    const bearer = await subject.withToken();
    // As many keys as mandates, so that the n-th key always comes with the n-th mandate.
    const variation = { mandates: keys, keysGoRound: keys, firstKey: nextFirstKey() };
    const [first = [], token = [], replay = []] = await interleave(
      bench.lab,
      [{ subject }, { subject: bearer }, { subject, options: { variation } }],
      bench.options.rounds,
    );
    assertApproved([...first, ...token, ...replay]);
    return {
      values: [ratioOf(token, first, cpuOf), ratioOf(replay, first, cpuOf)],
      detail: { first, token, replay },
    };
  },
};
