import type { Bench } from '../bench.js';
import { startProduct } from '../product.js';
import { interleave, type Round } from '../rounds.js';
import { ratioOf } from '../spread.js';
import type { Row } from './row.js';

const fewMandates = 1_000;
const manyMandates = 1_000_000;

export const growth: Row = {
  id: 'P7',
  what: 'CPU per authorize as data grows',
  figures: [
    { name: '10^6 ÷ 10^3 mandates', better: 'lower', must: 1.15, aim: 1.05 },
    { name: '10^7 ÷ 10^4 authorizations', better: 'lower', must: 1.25, aim: 1.1 },
  ],
  async measure(bench) {
    const byMandates = await mandateGrowth(bench);
    const { small, large, sizes } = await bench.grown();
    const [few = [], many = []] = await interleave(
      bench.lab,
      [{ subject: small }, { subject: large }],
      bench.options.rounds,
    );
    return {
      values: [byMandates.ratio, ratioOf(many, few, cpuOf)],
      detail: { mandates: byMandates.detail, authorizations: { sizes, few, many } },
    };
  },
};

const cpuOf = ({ cpuMicrosEach }: Round): number => cpuMicrosEach;

async function mandateGrowth({ lab, options }: Bench) {
  const size = Math.max(fewMandates, Math.round(manyMandates * options.scale));
  const small = await startProduct({ mandates: fewMandates });
  const large = await startProduct({ mandates: size });
  try {
    const [few = [], many = []] = await interleave(
      lab,
      [{ subject: small }, { subject: large }],
      options.rounds,
    );
    const detail = { sizes: { small: fewMandates, large: size }, few, many };
    return { ratio: ratioOf(many, few, cpuOf), detail };
  } finally {
    await small.stack.stop();
    await large.stack.stop();
  }
}
