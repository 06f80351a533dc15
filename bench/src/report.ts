import { type Figure, type Row, type Verdict, verdictOf } from './rows/row.js';
import type { Spread } from './spread.js';

/** The result of a row: its values, or why there are none. */
export interface RowResult {
  id: string;
  values: readonly Spread[] | null;
  problem: string | null;
  measuredAt: string;
}

const words: Record<Verdict, string> = { aim: 'aim', must: 'must', missed: 'MISSED' };

/** The table of goals and measured values: one line per figure, as aligned text. */
export function printable(rows: readonly Row[], results: readonly RowResult[]): string {
  const lines = [['#', 'what', 'Must', 'Aim', 'measured', 'spread', 'verdict']];
  for (const row of rows) {
    const result = results.find(({ id }) => id === row.id);
    for (const [index, figure] of row.figures.entries()) {
      lines.push([
        index === 0 ? row.id : '',
        row.figures.length === 1 ? row.what : `${row.what}: ${figure.name}`,
        goal(figure, figure.must),
        goal(figure, figure.aim),
        ...cells(figure, result?.values?.[index], result?.problem),
      ]);
    }
  }
  const widths = (lines[0] ?? []).map((_, column) =>
    Math.max(...lines.map((line) => line[column]?.length ?? 0)),
  );
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function cells(figure: Figure, value: Spread | undefined, problem?: string | null): string[] {
  if (!value) return ['-', '', problem ?? 'not measured'];
  return [
    number(value.median, figure),
    `${number(value.min, figure)} .. ${number(value.max, figure)}`,
    words[verdictOf(figure, value.median)],
  ];
}

function goal({ better, unit }: Figure, value: number): string {
  return `${better === 'higher' ? '>=' : '<='} ${value}${unit ? ` ${unit}` : ''}`;
}

function number(value: number, { unit }: Figure): string {
  const text = Math.abs(value) >= 100 ? value.toFixed(0) : value.toFixed(2);
  return unit ? `${text} ${unit}` : text;
}
