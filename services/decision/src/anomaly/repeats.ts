import { type Baseline, reasonColumn, reasonColumns } from './baseline.js';
import type { LatestRows } from './latest-rows.js';
import type { Likeness } from './likeness.js';
import { column, columns, merchantIn, wideAt } from './past-row.js';
import { day, longest } from './seen-payments.js';
import { areAlike, wordsOf } from './sketch.js';

/** Over all that was judged within a day, whatever came of it. */
export function addLoop(likeness: Likeness, baseline: Baseline, row: readonly number[]): void {
  const loop = { repeats: 1, merchants: new Set([merchantIn(row, 0)]) };
  addSameTask(loop, baseline.approved, row);
  addSameTask(loop, baseline.others, row);
  if (loop.repeats > 1) likeness.repeats = loop.repeats;
  if (loop.merchants.size > 1) likeness.taskMerchants = loop.merchants.size;
}

function addSameTask(
  loop: { repeats: number; merchants: Set<number> },
  { values, count }: LatestRows,
  row: readonly number[],
): void {
  const since = (row[column.at] ?? 0) - day;
  // Latest first: what is older than a day ends it.
  for (let from = (count - 1) * columns; from >= 0; from -= columns) {
    if ((values[from + column.at] ?? 0) <= since) return;
    if (values[from + column.task] !== row[column.task]) continue;
    const merchant = merchantIn(values, from);
    loop.merchants.add(merchant);
    const sameAmount = values[from + column.amount] === row[column.amount];
    if (sameAmount && merchant === merchantIn(row, 0)) loop.repeats += 1;
  }
}

export function isReused(
  { approved, reasons }: Baseline,
  row: readonly number[],
  sketch: string,
): boolean {
  if (sketch === '' || reasons.count === 0) return false;
  const words = wordsOf(sketch);
  const { values } = reasons;
  // What was pushed out of the payments may still be among the reasons, of which there are fewer.
  const oldest = Math.max(approved.values[column.at] ?? 0, (row[column.at] ?? 0) - longest);
  for (let at = 0; at < reasons.count; at += 1) {
    const from = at * reasonColumns;
    if ((values[from + column.at] ?? 0) < oldest) continue;
    const sameAmount = values[from + reasonColumn.amount] === row[column.amount];
    const sameMerchant = wideAt(values, from + reasonColumn.merchant) === merchantIn(row, 0);
    if (sameAmount && sameMerchant) continue;
    if (areAlike(words, values, from + reasonColumn.words)) return true;
  }
  return false;
}
