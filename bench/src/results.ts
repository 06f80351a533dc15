import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { rootFolder } from '@countersign/tools/folders';
import type { RowResult } from './report.js';

const folder = join(rootFolder, 'bench/results');
const summaryFile = join(rootFolder, 'bench/summary.json');

/** The newest values of every row, all of one machine; small enough for the repository. */
export interface Summary {
  machine: { cores: number; model: string; memoryGb: number; node: string };
  rows: readonly RowResult[];
  /** CPU microseconds per authorize by process, for the chart. */
  cpuByProcess: Record<string, Record<string, number>>;
}

export function readSummary(): Summary {
  if (!existsSync(summaryFile)) return { machine: thisMachine(), rows: [], cpuByProcess: {} };
  return JSON.parse(readFileSync(summaryFile, 'utf8')) as Summary;
}

/** Keeps what was measured here at this scale; returns what there is to show. */
export function keepSummary(measured: Omit<Summary, 'machine'>, scale: number): Summary {
  const run = { machine: thisMachine(), ...measured };
  const summary = scale === 1 ? combined(readSummary(), run) : null;
  if (summary) write(summaryFile, summary);
  else console.log('not kept in summary.json, whose rows are whole and of one machine');
  return summary ?? run;
}

/**
 * A summary with the rows of a run in place of its own; null if it has others, and they are from
 * another machine.
 */
export function combined(before: Summary, run: Summary): Summary | null {
  const others = before.rows.filter(({ id }) => !run.rows.some((each) => each.id === id));
  if (others.length === 0) return run;
  if (!isDeepStrictEqual(before.machine, run.machine)) return null;
  const rows = [...others, ...run.rows];
  return {
    machine: run.machine,
    rows: rows.sort((a, b) => Number(a.id.slice(1)) - Number(b.id.slice(1))),
    cpuByProcess: { ...before.cpuByProcess, ...run.cpuByProcess },
  };
}

/** Stores all data of a row, for investigation. */
export function keepDetail(id: string, detail: unknown): void {
  mkdirSync(folder, { recursive: true });
  write(join(folder, `${id}.json`), detail);
}

function write(file: string, content: unknown): void {
  writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`);
}

function thisMachine(): Summary['machine'] {
  return {
    cores: availableParallelism(),
    model: cpus()[0]?.model ?? 'unknown',
    memoryGb: Math.round(totalmem() / 2 ** 30),
    node: process.versions.node,
  };
}
