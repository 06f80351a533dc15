import { build } from 'hdr-histogram-js';
import type { LoadResult } from './job.js';

const approval = Buffer.from('"decision":"APPROVE"');
const longestMs = 60_000;

/** Counts responses and their latencies. */
export class Tally {
  readonly #histogram = build({
    lowestDiscernibleValue: 1,
    highestTrackableValue: longestMs * 1_000,
    numberOfSignificantValueDigits: 3,
  });
  readonly #statuses = new Map<number, number>();
  readonly #cpu = process.cpuUsage();
  readonly #startedAt = performance.now();
  #approved = 0;
  completed = 0;
  lost = 0;

  answered(status: number, body: Buffer, latencyMs: number): void {
    this.completed += 1;
    this.#statuses.set(status, (this.#statuses.get(status) ?? 0) + 1);
    if (body.includes(approval)) this.#approved += 1;
    this.#histogram.recordValue(
      Math.min(Math.max(1, Math.round(latencyMs * 1_000)), longestMs * 1_000),
    );
  }

  result(elapsedMs = performance.now() - this.#startedAt): LoadResult {
    const at = (percentile: number): number =>
      this.#histogram.getValueAtPercentile(percentile) / 1_000;
    const { user, system } = process.cpuUsage(this.#cpu);
    return {
      completed: this.completed,
      elapsedMs,
      statuses: Object.fromEntries(this.#statuses),
      approved: this.#approved,
      lost: this.lost,
      latencyMs: { p50: at(50), p90: at(90), p99: at(99), max: this.#histogram.maxValue / 1_000 },
      generatorCpuMs: (user + system) / 1_000,
    };
  }
}
