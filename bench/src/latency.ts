import { withLab } from './lab.js';
import { generate } from './load/generator.js';
import type { LoadJob, LoadResult } from './load/job.js';
import { startAltSql } from './opponents.js';
import { startProduct } from './product.js';
import { warmUp } from './rounds.js';
import { spreadOf } from './spread.js';
import type { Subject } from './subject.js';
import { inTurns } from './turns.js';

type Pace = Pick<LoadJob, 'model' | 'connections' | 'perSecond'>;

const paces: Record<string, Pace> = {
  'one at a time': { model: 'closed', connections: 1 },
  '20 a second': { model: 'open', connections: 32, perSecond: 20 },
  '100 a second': { model: 'open', connections: 64, perSecond: 100 },
  '300 a second': { model: 'open', connections: 128, perSecond: 300 },
};
const rounds = 3;
const roundMs = 6_000;

/** `npm run bench -- latency`: how long a payment takes at loads far below saturation. */
export async function compareLatencies(): Promise<void> {
  await withLab(async (lab) => {
    const subjects = [await startProduct(), await startAltSql(lab)];
    for (const subject of subjects) await warmUp(lab, subject);
    for (const [name, pace] of Object.entries(paces)) {
      const loads = await inTurns(subjects, rounds, (subject) => at(pace, subject));
      for (const [index, { name: of }] of subjects.entries()) {
        console.log(`${name}, ${of}: ${printed(loads[index] ?? [])}`);
      }
    }
  });
}

function at(pace: Pace, { port, plan }: Subject): Promise<LoadResult> {
  return generate({ ...pace, port, plan: plan(), durationMs: roundMs });
}

function printed(loads: readonly LoadResult[]): string {
  const median = (of: (latency: LoadResult['latencyMs']) => number): string =>
    spreadOf(loads.map(({ latencyMs }) => of(latencyMs))).median.toFixed(1);
  return `p50 ${median(({ p50 }) => p50)} ms, p99 ${median(({ p99 }) => p99)} ms`;
}
