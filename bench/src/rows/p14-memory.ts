import { setTimeout as pause } from 'node:timers/promises';
import { type ServiceName, serviceNames } from '@countersign/tools/services';
import type { Bench } from '../bench.js';
import { residentMb, startBare } from '../memory.js';
import { type Product, startProduct } from '../product.js';
import { measureRound, warmUp } from '../rounds.js';
import { largestOf, spreadOf } from '../spread.js';
import type { Row } from './row.js';

const manyAuthorizes = 1_000_000;
const settleMs = 5_000;
const loadMs = 10_000;
const maxLoads = 600;
const looksEach = 5;

export const memory: Row = {
  id: 'P14',
  what: 'memory of a service at rest',
  figures: [
    { name: 'idle ÷ bare process', better: 'lower', must: 1.6, aim: 1.3 },
    { name: 'after 10^6 authorizes ÷ warm', better: 'lower', must: 1.1, aim: 1.05 },
  ],
  async measure(bench) {
    const product = await startProduct();
    try {
      const idle = await atRest(product);
      const bare = await bareMemory();
      await warmUp(bench.lab, product);
      const warm = await usually(bench, product);
      const authorizes = await load(bench, product);
      const later = await usually(bench, product);
      const over = (some: Memory, others: Memory): number[] =>
        serviceNames.map((name) => some[name] / others[name]);
      return {
        values: [largestOf(over(idle, bare)), largestOf(over(later, warm))],
        detail: { megabytes: { bare, idle, warm, later }, authorizes },
      };
    } finally {
      await product.stack.stop();
    }
  },
};

type Memory = Record<ServiceName, number>;

async function atRest(product: Product): Promise<Memory> {
  await pause(settleMs);
  const pids = product.pids();
  const entries = serviceNames.map((name) => [name, residentMb(pids[name] ?? 0)]);
  return Object.fromEntries(entries) as Memory;
}

/**
 * Between two collections the heap size is anywhere between the live data and its limit, so a
 * single sample says little: the median of several, each after another load.
 */
async function usually({ lab }: Bench, product: Product): Promise<Memory> {
  const looks: Memory[] = [];
  while (looks.length < looksEach) {
    await measureRound(lab, product, { durationMs: loadMs });
    looks.push(await atRest(product));
  }
  const entries = serviceNames.map((name) => [
    name,
    spreadOf(looks.map((look) => look[name])).median,
  ]);
  return Object.fromEntries(entries) as Memory;
}

async function bareMemory(): Promise<Memory> {
  const found: Partial<Memory> = {};
  for (const name of serviceNames) {
    const bare = await startBare(name);
    await pause(settleMs / 5);
    found[name] = residentMb(bare.pid);
    bare.end();
  }
  return found as Memory;
}

async function load({ lab, options }: Bench, product: Product): Promise<number> {
  const wanted = manyAuthorizes * options.scale;
  let done = 0;
  for (let loads = 0; loads < maxLoads && done < wanted; loads += 1) {
    const round = await measureRound(lab, product, { durationMs: loadMs });
    done += round.load.completed;
  }
  return done;
}
