import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rootFolder } from '@countersign/tools/folders';
import type { Summary } from './results.js';
import { verdictOf } from './rows/row.js';
import { rows } from './rows/table.js';
import { rect, type Shape, svg, text } from './svg.js';

const folder = join(rootFolder, 'docs/charts');
const width = 760;
const labelWidth = 150;
const barHeight = 26;
const rowHeight = 40;
const palette = [
  '#30638e',
  '#d1495b',
  '#edae49',
  '#66a182',
  '#8d6a9f',
  '#5c5c5c',
  '#9aa5b1',
  '#c58b5e',
  '#7fb7be',
];
const verdictColours = { aim: '#2f7d4f', must: '#c28f1c', missed: '#b3362b' };

/** `npm run bench -- charts`: draws the values of the summary for docs/performance.md. */
export function keepCharts(summary: Summary): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'cpu-per-authorize.svg'), cpuChart(summary));
  writeFileSync(join(folder, 'goals.svg'), goalChart(summary));
}

/** One stacked bar per subject: CPU microseconds of one authorize by process. */
function cpuChart({ cpuByProcess }: Summary): string {
  const subjects = Object.entries(cpuByProcess);
  const totals = subjects.map(([, parts]) => sum(Object.values(parts)));
  const scale = (width - labelWidth - 90) / Math.max(1, ...totals);
  const names = [...new Set(subjects.flatMap(([, parts]) => Object.keys(parts)))];
  const colourOf = (name: string): string =>
    palette[names.indexOf(name) % palette.length] ?? '#000';
  const shapes = subjects.flatMap(([subject, parts], index) => {
    const y = 44 + index * rowHeight;
    let x = labelWidth;
    const bars = Object.entries(parts).map(([name, micros]): Shape => {
      const bar = rect({ x, y, width: micros * scale, height: barHeight, fill: colourOf(name) });
      x += micros * scale;
      return bar;
    });
    const label = text({ x: labelWidth - 10, y: y + 18, anchor: 'end', content: subject });
    const total = text({ x: x + 8, y: y + 18, content: `${(totals[index] ?? 0).toFixed(0)} µs` });
    return [label, ...bars, total];
  });
  const legendY = 64 + subjects.length * rowHeight;
  const legend = names.flatMap((name, index) => {
    const x = labelWidth + (index % 5) * 118;
    const y = legendY + Math.floor(index / 5) * 22;
    return [
      rect({ x, y, width: 12, height: 12, fill: colourOf(name) }),
      text({ x: x + 18, y: y + 11, content: name }),
    ];
  });
  const height = legendY + 22 * Math.ceil(names.length / 5) + 12;
  const title = 'CPU per authorize, by process';
  return svg({ width, height, title }, [...shapes, ...legend]);
}

/** One bar per figure: its value relative to its goal, which is the line. */
function goalChart({ rows: results }: Summary): string {
  const lines = rows.flatMap(({ id, figures }) =>
    figures.flatMap((figure, index) => {
      const value = results.find((result) => result.id === id)?.values?.[index]?.median;
      if (value === undefined) return [];
      const reached = figure.better === 'higher' ? value / figure.must : figure.must / value;
      const name = figures.length > 1 ? `${id} ${figure.name}` : id;
      return [
        { name, reached: Math.min(3, Number.isFinite(reached) ? reached : 1), value, figure },
      ];
    }),
  );
  const left = 250;
  const unit = (width - left - 70) / 3;
  const shapes = lines.flatMap(({ name, reached, value, figure }, index) => {
    const y = 40 + index * 24;
    const fill = verdictColours[verdictOf(figure, value)];
    return [
      text({ x: left - 10, y: y + 13, anchor: 'end', content: name }),
      rect({ x: left, y, width: Math.max(1, reached * unit), height: 16, fill }),
      text({ x: left + reached * unit + 6, y: y + 13, content: value.toPrecision(3) }),
    ];
  });
  const height = 52 + lines.length * 24;
  const goal = rect({ x: left + unit, y: 34, width: 1.5, height: height - 46, fill: '#333' });
  const title = 'Reached of what must be reached (line)';
  return svg({ width, height, title }, [...shapes, goal]);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
