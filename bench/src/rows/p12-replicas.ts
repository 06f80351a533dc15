import type { Bench } from '../bench.js';
import { type CpuCap, capCpu } from '../cpu-cap.js';
import { type Product, startProduct } from '../product.js';
import { measureRound, type Round, untilQuiet, warmUp } from '../rounds.js';
import { readCounter } from '../service-metrics.js';
import { ratioOf, spreadOf } from '../spread.js';
import type { Row } from './row.js';

const replicaCount = 4;
/**
 * So small that four replicas leave most of a two-core machine to the other processes: the row
 * measures how work is distributed, not the number of cores.
 */
const shareOfCore = 0.1;
/** Enough to keep a replica busy, but too few for requests to exceed its deadline while queued. */
const connectionsAReplica = 16;
/** A garbage collection of one replica takes a tenth of a second, a quarter of a shorter round. */
const durationMs = 12_000;
/** So few that after the warm-up each replica has cached all of them. */
const mandates = 1_000;

export const replicas: Row = {
  id: 'P12',
  what: 'four decision replicas ÷ one, each capped alike by a control group',
  figures: [
    { name: 'throughput', better: 'higher', must: 3.4, aim: 3.8 },
    { name: 'largest ÷ smallest share', better: 'lower', must: 1.3, aim: 1.1 },
  ],
  async measure(bench) {
    const one = await startProduct({ mandates });
    const four = await startProduct({ mandates, replicas: { decision: replicaCount } });
    try {
      await warmUp(bench.lab, one);
      // Each replica must be as warm as a single one.
      const { lab } = bench;
      await warmUp({ ...lab, warmAfter: lab.warmAfter * replicaCount }, four);
      const single: Round[] = [];
      const several: Round[] = [];
      const shares: number[] = [];
      for (let round = 0; round < bench.options.rounds; round += 1) {
        single.push(await capped(bench, one));
        const before = await decisionsMade(four);
        several.push(await capped(bench, four));
        shares.push(largestOverSmallest(before, await decisionsMade(four)));
      }
      return {
        values: [ratioOf(several, single, goodput), spreadOf(shares)],
        detail: { shareOfCore, single, several },
      };
    } finally {
      await one.stack.stop();
      await four.stack.stop();
    }
  },
};

/** Decisions per second, without fail-safe ones. */
function goodput({ load }: Round): number {
  return (load.approved * 1_000) / load.elapsedMs;
}

function decisionPids(product: Product): Record<string, number> {
  const all = Object.entries(product.pids());
  return Object.fromEntries(all.filter(([name]) => name.startsWith('decision')));
}

async function capped({ lab }: Bench, product: Product): Promise<Round> {
  const caps: CpuCap[] = [];
  try {
    for (const pid of Object.values(decisionPids(product))) caps.push(capCpu(pid, shareOfCore));
    const connections = connectionsAReplica * caps.length;
    return await measureRound(lab, product, { connections, durationMs });
  } finally {
    for (const cap of caps) cap.release();
    await untilQuiet(product.pids());
  }
}

/** Decisions by replica. */
async function decisionsMade(product: Product): Promise<number[]> {
  const counter = { name: 'countersign_decisions_total', label: 'decision' };
  const pids = Object.values(decisionPids(product));
  return Promise.all(
    pids.map(async (pid) => {
      const byWord = Object.values(await readCounter(counter, [pid]));
      return byWord.reduce((sum, count) => sum + count, 0);
    }),
  );
}

function largestOverSmallest(before: readonly number[], after: readonly number[]): number {
  const made = after.map((value, index) => value - (before[index] ?? 0));
  return Math.max(...made) / Math.min(...made);
}
