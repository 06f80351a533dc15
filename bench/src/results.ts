import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { rootFolder } from '@countersign/tools/folders';
import type { RowResult } from './report.js';

const folder = join(rootFolder, 'bench/results');
const summaryFile = join(rootFolder, 'bench/summary.json');

/** The newest values of every row and the machine; small enough for the repository. */
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

/** Replaces the rows of this run; rows that were not measured are kept. */
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

/** Stores all data of a row, for investigation. */
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
