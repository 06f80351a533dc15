import { Bench, type BenchOptions } from './bench.js';
import { keepCharts } from './charts.js';
import { compareFloors, comparePools } from './costs.js';
import { defaultWarmAfter, withLab } from './lab.js';
import { compareLatencies } from './latency.js';
import { printable, type RowResult } from './report.js';
import { keepDetail, keepSummary, readSummary } from './results.js';
import type { Row } from './rows/row.js';
import { rows } from './rows/table.js';
import { compareRules } from './rules/compare.js';
import { selfTest } from './self-test.js';

const usage = `npm run bench [-- P1,P6]
  npm run bench -- selftest | rules | pool | floors | latency | table | charts

  BENCH_SCALE   part of the sizes of P7, P9 and P14 to measure at (1)
  BENCH_ROUNDS  rounds of everything that is compared (3)
  BENCH_WARM    answers after which something counts as warm (25000)`;

/** Called by the root's script; ends the process, since libraries may leave handles open. */
export async function run(args: readonly string[]): Promise<void> {
  try {
    await main(args);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  }
  process.exit();
}

/** `npm run bench`: all rows, or the named ones; prints the table at the end. */
async function main(args: readonly string[]): Promise<void> {
  const [what = 'all'] = args;
  const others: Record<string, () => Promise<void> | void> = {
    selftest: async () => console.log(JSON.stringify(await selfTest(), null, 2)),
    rules: compareRules,
    pool: comparePools,
    floors: compareFloors,
    latency: compareLatencies,
    table: () => console.log(printable(rows, readSummary().rows)),
    charts: () => keepCharts(readSummary()),
  };
  const other = others[what];
  if (other) return other();
  const ids = what.toUpperCase().split(',');
  const chosen = what === 'all' ? rows : rows.filter(({ id }) => ids.includes(id));
  if (chosen.length === 0 || (what !== 'all' && chosen.length < ids.length)) {
    throw new Error(`There is no row "${what}".\n\n${usage}`);
  }
  await measure(chosen);
}

async function measure(chosen: readonly Row[]): Promise<void> {
  const options = optionsFrom(process.env);
  const measured: RowResult[] = [];
  const cpuByProcess = await withLab(async (lab) => {
    const bench = new Bench(lab, options);
    for (const row of chosen) measured.push(await measureRow(bench, row));
    await bench.stop();
    return bench.cpuByProcess;
  }, options.warmAfter);
  const summary = keepSummary({ rows: measured, cpuByProcess }, options.scale);
  console.log(`\n${printable(rows, summary.rows)}`);
}

/** A row that fails is reported in the table, and the others continue. */
async function measureRow(bench: Bench, row: Row): Promise<RowResult> {
  const { id } = row;
  const measuredAt = new Date().toISOString();
  console.log(`${id}: ${row.what}`);
  try {
    const { values, detail } = await row.measure(bench);
    keepDetail(id, { measuredAt, ...bench.options, values, detail });
    console.log(printable([row], [{ id, values, problem: null, measuredAt }]));
    return { id, values, problem: null, measuredAt };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    console.error(error);
    const [firstLine = ''] = problem.split('\n');
    return { id, values: null, problem: firstLine.slice(0, 120), measuredAt };
  }
}

function optionsFrom(env: NodeJS.ProcessEnv): BenchOptions {
  const scale = Number(env.BENCH_SCALE || 1);
  const rounds = Number(env.BENCH_ROUNDS || 3);
  const warmAfter = Number(env.BENCH_WARM || defaultWarmAfter);
  if (!(scale > 0 && scale <= 1)) throw new Error('BENCH_SCALE must be above 0 and at most 1');
  if (!Number.isInteger(rounds) || rounds < 1) throw new Error('BENCH_ROUNDS must be 1 or more');
  if (!(warmAfter >= 0)) throw new Error('BENCH_WARM must be 0 or more');
  return { scale, rounds, warmAfter };
}
