import { ratioOf, spreadOf } from '../spread.js';
import { cedar } from './cedar.js';
import { jsonRules } from './json-rules.js';
import type { Asked, Judge } from './judge.js';
import { ourRules } from './our-rules.js';

const rounds = 5;
const judgementsARound = 5_000;
const good: Asked = { amount: '12.50', mcc: '5411', country: 'USA' };
const bad: readonly Asked[] = [
  { ...good, amount: '100.01' },
  { ...good, mcc: '7995' },
  { ...good, country: 'FRA' },
];

/** `npm run bench -- rules`: CPU time of one evaluation, by ours and by two libraries. */
export async function compareRules(): Promise<void> {
  const judges = [await ourRules(), jsonRules(), cedar()];
  for (const judge of judges) await assertAgrees(judge);
  const micros: number[][] = judges.map(() => []);
  // The first round warms up.
  for (let round = 0; round <= rounds; round += 1) {
    for (const [index, judge] of judges.entries()) {
      const each = await cpuMicros(judge);
      if (round > 0) micros[index]?.push(each);
    }
  }
  const ours = micros[0] ?? [];
  for (const [index, judge] of judges.entries()) {
    const found = micros[index] ?? [];
    const times = ratioOf(found, ours, (value) => value).median.toFixed(1);
    const each = spreadOf(found).median.toFixed(1);
    console.log(`${judge.name}: ${each} µs CPU a judgement, ${times} times ours`);
  }
}

async function cpuMicros(judge: Judge): Promise<number> {
  const before = process.cpuUsage();
  for (let n = 0; n < judgementsARound; n += 1) await judge.approves(good);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / judgementsARound;
}

/** Fails unless the engines agree, since otherwise they are not comparable. */
async function assertAgrees(judge: Judge): Promise<void> {
  if (!(await judge.approves(good))) throw new Error(`${judge.name} declines a good payment`);
  for (const asked of bad) {
    if (await judge.approves(asked)) throw new Error(`${judge.name} approves a bad payment`);
  }
}
