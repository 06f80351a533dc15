import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { rootFolder } from '@countersign/tools/folders';
import type { RowResult } from './report.js';

const folder = join(rootFolder, 'bench/results');
const summaryFile = join(rootFolder, 'bench/summary.json');

/** The newest values of every row, on which machine; small enough to be kept with the source. */
export interface Summary {
  machine: { cores: number; model: string; memoryGb: number; node: string };
  rows: RowResult[];
  /** CPU microseconds per authorize by process, for the chart. */
  cpuByProcess: Record<string, Record<string, number>>;
}

export function readSummary(): Summary {
  const kept = existsSync(summaryFile)
    ? (JSON.parse(readFileSync(summaryFile, 'utf8')) as Summary)
    : { rows: [], cpuByProcess: {} };
  return { ...kept, machine: machine() };
}

/** Rows of this run take the places of older ones; what was not measured stays as it was. */
export function keepSummary(
  results: readonly RowResult[],
  cpuByProcess: Summary['cpuByProcess'],
): Summary {
  const before = readSummary();
  const kept = before.rows.filter(({ id }) => !results.some((each) => each.id === id));
  const rows = [...kept, ...results].sort((a, b) => Number(a.id.slice(1)) - Number(b.id.slice(1)));
  const summary = {
    ...before,
    rows,
    cpuByProcess: { ...before.cpuByProcess, ...cpuByProcess },
  };
  write(summaryFile, summary);
  return summary;
}

/** Everything that a row has seen, for whoever wants to know why. */
export function keepDetail(id: string, detail: unknown): void {
  mkdirSync(folder, { recursive: true });
  write(join(folder, `${id}.json`), detail);
}

function write(file: string, content: unknown): void {
  writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`);
}

function machine(): Summary['machine'] {
  return {
    cores: availableParallelism(),
    model: cpus()[0]?.model ?? 'unknown',
    memoryGb: Math.round(totalmem() / 2 ** 30),
    node: process.versions.node,
  };
}
