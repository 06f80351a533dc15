import { withLab } from './lab.js';
import { startAltSql } from './opponents.js';
import { interleave } from './rounds.js';
import { spreadOf } from './spread.js';
import type { Subject } from './subject.js';

const sizes = [8, 12, 16, 20];
const rounds = 3;

/** `npm run bench -- pool`: finds the pool size that suits the alternative best. */
export async function comparePools(): Promise<void> {
  await withLab(async (lab) => {
    const subjects: Subject[] = [];
    for (const poolSize of sizes) {
      subjects.push(await startAltSql(lab, { poolSize, name: `alt-sql-${poolSize}` }));
    }
    const results = await interleave(
      lab,
      subjects.map((subject) => ({ subject })),
      rounds,
    );
    for (const [index, each] of results.entries()) {
      const perSecond = spreadOf(each.map((round) => round.perSecond)).median.toFixed(0);
      const micros = spreadOf(each.map((round) => round.cpuMicrosEach)).median.toFixed(0);
      console.log(`${sizes[index]} connections: ${perSecond} a second, ${micros} µs CPU each`);
    }
  });
}
