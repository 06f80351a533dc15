import { type Lab, withLab } from './lab.js';
import { startAltSql, startFloor } from './opponents.js';
import { interleave } from './rounds.js';
import { spreadOf } from './spread.js';
import type { Subject } from './subject.js';

const poolSizes = [8, 12, 16, 20];
const floors = ['unary', 'stream'] as const;
const rounds = 3;

/** `npm run bench -- pool`: finds the pool size that suits the alternative best. */
export function comparePools(): Promise<void> {
  return compareCosts(poolSizes, (lab, poolSize) =>
    startAltSql(lab, { poolSize, name: `alt-sql-${poolSize}` }),
  );
}

/** `npm run bench -- floors`: what the product's stream and its batches of events save. */
export function compareFloors(): Promise<void> {
  return compareCosts(floors, startFloor);
}

/** Saturates variants in turn, and prints throughput and cost of each. */
async function compareCosts<Variant>(
  variants: readonly Variant[],
  start: (lab: Lab, variant: Variant) => Promise<Subject>,
): Promise<void> {
  await withLab(async (lab) => {
    const contestants: Array<{ subject: Subject }> = [];
    for (const variant of variants) contestants.push({ subject: await start(lab, variant) });
    const results = await interleave(lab, contestants, rounds);
    for (const [index, { subject }] of contestants.entries()) {
      const each = results[index] ?? [];
      const perSecond = spreadOf(each.map((round) => round.perSecond)).median.toFixed(0);
      const micros = spreadOf(each.map((round) => round.cpuMicrosEach)).median.toFixed(0);
      console.log(`${subject.name}: ${perSecond} a second, ${micros} µs CPU each`);
    }
  });
}
