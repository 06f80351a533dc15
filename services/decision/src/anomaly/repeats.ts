import { type Baseline, reasonColumn } from './baseline.js';
import { day, maxAgeSeconds } from './history-scan.js';
import type { LatestRows } from './latest-rows.js';
import type { Likeness } from './likeness.js';
import { column, merchantIn, wideAt } from './past-row.js';
import { areSimilar, wordsOf } from './sketch.js';

/** The merchant of a payment that names none. */
const unnamed = 0;

/** Counts refused and challenged requests too: a loop is a loop whether or not it was approved. */
export function addLoop(likeness: Likeness, baseline: Baseline, row: readonly number[]): void {
  const loop = { repeats: 1, merchants: new Set([merchantIn(row, 0)]) };
  addSameTask(loop, baseline.approved, row);
  addSameTask(loop, baseline.others, row);
  // Payments that name no merchant are not to one merchant more.
  loop.merchants.delete(unnamed);
  if (loop.repeats > 1) likeness.repeats = loop.repeats;
  if (loop.merchants.size > 1) likeness.taskMerchants = loop.merchants.size;
}

function addSameTask(
  loop: { repeats: number; merchants: Set<number> },
  rows: LatestRows,
  row: readonly number[],
): void {
  const since = (row[column.at] ?? 0) - day;
  // Newest first, so that the first row older than a day ends the scan.
  for (let at = rows.count - 1; at >= 0; at -= 1) {
    if (rows.word(at, column.at) <= since) return;
    if (rows.word(at, column.task) !== row[column.task]) continue;
    const merchant = merchantIn(rows.wordsAt(at), rows.placeAt(at));
    loop.merchants.add(merchant);
    const sameAmount = rows.word(at, column.amount) === row[column.amount];
    if (sameAmount && merchant === merchantIn(row, 0)) loop.repeats += 1;
  }
}

/** Whether similar reasoning was given for a payment with another amount or merchant. */
export function isReused(
  { approved, reasons }: Baseline,
  row: readonly number[],
  sketch: string,
): boolean {
  if (sketch === '' || reasons.count === 0) return false;
  const words = wordsOf(sketch);
  // Fewer payments have a reason, so the reasons may reach further back than the payments that are
  // compared; ignore those.
  const oldestPayment = approved.count > 0 ? approved.word(0, column.at) : 0;
  const oldest = Math.max(oldestPayment, (row[column.at] ?? 0) - maxAgeSeconds);
  for (let at = 0; at < reasons.count; at += 1) {
    const [values, from] = [reasons.wordsAt(at), reasons.placeAt(at)];
    if ((values[from + column.at] ?? 0) < oldest) continue;
    const sameAmount = values[from + reasonColumn.amount] === row[column.amount];
    const sameMerchant = wideAt(values, from + reasonColumn.merchant) === merchantIn(row, 0);
    if (sameAmount && sameMerchant) continue;
    if (areSimilar(words, values, from + reasonColumn.words)) return true;
  }
  return false;
}
