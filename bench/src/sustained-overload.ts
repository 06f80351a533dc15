import { setTimeout as pause } from 'node:timers/promises';
import { generate } from './load/generator.js';
import type { LoadResult } from './load/job.js';
import { residentMb } from './memory.js';
import type { Product } from './product.js';

export interface SustainedOverload {
  load: LoadResult;
  /** Resident megabytes of all services, second by second. */
  megabytes: number[];
  /** Ratio of the last ten seconds to the first ten after buffers have filled. */
  growth: number;
  /** From the end of the overload until a window of one second was as before. */
  recoverySeconds: number;
}

const durationMs = 30_000;
const sampleMs = 1_000;
/** By then the number of requests in flight has reached its maximum. */
const filledAfter = 5;
const compared = 10;
/** Share of the peak load that is applied while waiting for recovery. */
const calm = 0.25;
const windowMs = 1_000;
const maxWindows = 20;
/** Variation between windows of an idle product on a shared machine. */
const alike = 2;

/** Applies twice the product's capacity for half a minute, then waits for recovery. */
export async function sustainOverload(
  product: Product,
  { peak, connections }: { peak: number; connections: number },
): Promise<SustainedOverload> {
  const send = (perSecond: number, ms: number): Promise<LoadResult> =>
    generate({
      model: 'open',
      port: product.port,
      plan: product.plan(),
      connections,
      durationMs: ms,
      perSecond,
    });
  const calmWindow = async (): Promise<number> => (await send(peak * calm, windowMs)).latencyMs.p50;
  const before = [await calmWindow(), await calmWindow(), await calmWindow()].sort((a, b) => a - b);
  const [, usual = 0] = before;
  const [load, megabytes] = await Promise.all([
    send(peak * 2, durationMs),
    sampled(product, durationMs / sampleMs),
  ]);
  const endedAt = performance.now();
  for (let window = 0; window < maxWindows; window += 1) {
    if ((await calmWindow()) <= usual * alike) break;
  }
  const recoverySeconds = (performance.now() - endedAt) / 1_000;
  return { load, megabytes, growth: growthOf(megabytes), recoverySeconds };
}

async function sampled(product: Product, samples: number): Promise<number[]> {
  const pids = Object.values(product.pids());
  const seen: number[] = [];
  while (seen.length < samples) {
    await pause(sampleMs);
    seen.push(pids.reduce((sum, pid) => sum + residentMb(pid), 0));
  }
  return seen;
}

function growthOf(megabytes: readonly number[]): number {
  const mean = (part: readonly number[]): number =>
    part.reduce((sum, each) => sum + each, 0) / part.length;
  const first = megabytes.slice(filledAfter, filledAfter + compared);
  return mean(megabytes.slice(-compared)) / mean(first);
}
