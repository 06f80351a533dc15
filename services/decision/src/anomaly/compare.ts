import type { PaymentFacts } from '../facts-shape.js';
import { dayMs } from '../scores/decay.js';
import { type Baseline, maxApproved, reasonColumn, reasonColumns } from './baseline.js';
import { injectionList, injectionMarkers } from './injection.js';
import type { LatestRows } from './latest-rows.js';
import type { Likeness } from './likeness.js';
import { column, columns, numbersOf, packTrace, sketchIn } from './packed-trace.js';
import { areAlike, wordsOf } from './sketch.js';
import { medianOf, Sums } from './spread.js';
import { traceOf } from './trace.js';

export interface Compared {
  payment: PaymentFacts;
  /** Epoch milliseconds of the decision. */
  at: number;
  /** So many payments it takes to compare with, at least. */
  minHistory: number;
}

/** A baseline of null is of an agent of whom nothing was learnt yet. */
export function likenessOf(baseline: Baseline | null, compared: Compared): Likeness {
  const markers = injectionMarkers(compared.payment);
  const likeness: Likeness = { n: 0 };
  if (markers.length > 0) likeness.markers = [injectionList, ...markers];
  if (!baseline || baseline.approved.count + baseline.others.count === 0) return likeness;
  const { merchant, recorded } = traceOf(compared.payment);
  const { amount, currency } = compared.payment;
  const packed = packTrace({ amount, currency, merchant, trace: recorded });
  const row = [compared.at, 0, ...numbersOf(packed)];
  addLoop(likeness, baseline, row);
  if (isReused(baseline, row, sketchIn(packed))) likeness.reasonReused = true;
  addHistory(likeness, baseline, { row, minHistory: compared.minHistory });
  return likeness;
}

const oldestMs = 90 * dayMs;
const hourMs = 3_600_000;

interface Now {
  row: readonly number[];
  minHistory: number;
}

/** One walk over the payments of the same currency. */
function addHistory(likeness: Likeness, baseline: Baseline, { row, minHistory }: Now): void {
  const seen = new Seen(row);
  const { values, count } = baseline.approved;
  for (let from = 0; from < count * columns; from += columns) seen.add(values, from);
  likeness.n = seen.n;
  if (seen.n < Math.max(1, minHistory)) return;
  const { median, deviation } = baseline.spreadOf(seen.amounts(), row[column.currency] ?? 0);
  const z = ((row[column.amount] ?? 0) - median) / Math.max(0.1, deviation);
  likeness.amountZ = rounded(z);
  likeness.sameHours = seen.sameHours;
  likeness.pace = [seen.lastHour, rounded(Math.max(hourMs, seen.spanMs) / hourMs)];
  seen.addNamed(likeness, Math.max(1, minHistory));
  if (seen.isNewMerchant(Math.max(1, minHistory))) {
    likeness.newMerchant = merchantsIn(baseline.approved, row);
  }
}

/** Scratch space of one walk: nothing waits in between. */
const amounts = new Float64Array(maxApproved);
const alternatives = new Float64Array(maxApproved);
const oldestAge = (at: number): number => at - oldestMs;

class Seen {
  n = 0;
  lastHour = 0;
  sameHours = 0;
  spanMs = 0;
  readonly #row: readonly number[];
  readonly #at: number;
  readonly #hour: number;
  #mcc = { same: 0, of: 0 };
  #place = { same: 0, of: 0 };
  #merchant = { same: 0, of: 0 };
  readonly #confidence = new Sums();
  readonly #length = new Sums();
  #considered = 0;

  constructor(row: readonly number[]) {
    this.#row = row;
    this.#at = row[column.at] ?? 0;
    this.#hour = hourOf(this.#at);
  }

  amounts(): Float64Array {
    return amounts.subarray(0, this.n);
  }

  add(values: Float64Array, from: number): void {
    const of = (place: number): number => values[from + place] ?? 0;
    const at = of(column.at);
    if (at < oldestAge(this.#at) || of(column.currency) !== this.#row[column.currency]) return;
    amounts[this.n] = of(column.amount);
    this.n += 1;
    // Oldest first: of the first the span begins.
    if (this.n === 1) this.spanMs = this.#at - at;
    // Others may have been decided meanwhile; what is far ahead is of a clock that was wrong.
    if (Math.abs(this.#at - at) < hourMs) this.lastHour += 1;
    if (areNear(hourOf(at), this.#hour)) this.sameHours += 1;
    this.#count(this.#mcc, of(column.mcc), column.mcc);
    this.#count(this.#place, of(column.place), column.place);
    this.#count(this.#merchant, of(column.merchant), column.merchant);
    if (of(column.confidence) >= 0) this.#confidence.add(of(column.confidence));
    if (of(column.reasoningLength) >= 0) this.#length.add(of(column.reasoningLength));
    if (of(column.alternatives) >= 0) {
      alternatives[this.#considered] = of(column.alternatives);
      this.#considered += 1;
    }
  }

  #count(seen: { same: number; of: number }, value: number, place: number): void {
    if (value <= 0) return;
    seen.of += 1;
    if (value === this.#row[place]) seen.same += 1;
  }

  isNewMerchant(enough: number): boolean {
    const { same, of } = this.#merchant;
    return same === 0 && of >= enough && (this.#row[column.merchant] ?? 0) > 0;
  }

  /** What not every payment says: compared only where enough of them do, and this one. */
  addNamed(likeness: Likeness, enough: number): void {
    const now = (place: number): number => this.#row[place] ?? 0;
    if (now(column.mcc) > 0 && this.#mcc.of >= enough) {
      likeness.mcc = [this.#mcc.same, this.#mcc.of];
    }
    if (now(column.place) > 0 && this.#place.of >= enough) {
      likeness.place = [this.#place.same, this.#place.of];
    }
    const confidence = now(column.confidence);
    if (confidence >= 0 && this.#confidence.count >= enough) {
      likeness.confidenceZ = rounded(this.#confidence.above(confidence, 0.05));
    }
    const length = now(column.reasoningLength);
    if (length >= 0 && this.#length.count >= enough) {
      likeness.reasoningZ = rounded(this.#length.above(length, 0.1));
    }
    if (now(column.alternatives) >= 0 && this.#considered >= enough) {
      likeness.alternatives = medianOf(alternatives.subarray(0, this.#considered));
    }
  }
}

/** How many were paid, by how many payments: counted only where it matters. */
function merchantsIn(
  { values, count }: LatestRows,
  row: readonly number[],
): [distinct: number, of: number] {
  const since = oldestAge(row[column.at] ?? 0);
  const merchants: number[] = [];
  for (let from = 0; from < count * columns; from += columns) {
    const merchant = values[from + column.merchant] ?? 0;
    const isCompared =
      (values[from + column.at] ?? 0) >= since &&
      values[from + column.currency] === row[column.currency];
    if (isCompared && merchant !== 0) merchants.push(merchant);
  }
  return [new Set(merchants).size, merchants.length];
}

/** Over all that was judged within a day, whatever came of it. */
function addLoop(likeness: Likeness, baseline: Baseline, row: readonly number[]): void {
  const loop = { repeats: 1, merchants: new Set([row[column.merchant] ?? 0]) };
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
  const since = (row[column.at] ?? 0) - dayMs;
  // Latest first: what is older than a day ends it.
  for (let from = (count - 1) * columns; from >= 0; from -= columns) {
    if ((values[from + column.at] ?? 0) <= since) return;
    if (values[from + column.task] !== row[column.task]) continue;
    const merchant = values[from + column.merchant] ?? 0;
    loop.merchants.add(merchant);
    const sameAmount = values[from + column.amount] === row[column.amount];
    if (sameAmount && merchant === row[column.merchant]) loop.repeats += 1;
  }
}

function isReused(
  { approved, reasons }: Baseline,
  row: readonly number[],
  sketch: string,
): boolean {
  if (sketch === '' || reasons.count === 0) return false;
  const words = wordsOf(sketch);
  const { values } = reasons;
  // What was pushed out of the payments may still be among the reasons, of which there are fewer.
  const oldest = Math.max(approved.values[column.at] ?? 0, oldestAge(row[column.at] ?? 0));
  for (let at = 0; at < reasons.count; at += 1) {
    const from = at * reasonColumns;
    if ((values[from + column.at] ?? 0) < oldest) continue;
    const sameAmount = values[from + reasonColumn.amount] === row[column.amount];
    const sameMerchant = values[from + reasonColumn.merchant] === row[column.merchant];
    if (sameAmount && sameMerchant) continue;
    if (areAlike(words, values, from + reasonColumn.words)) return true;
  }
  return false;
}

function hourOf(at: number): number {
  return Math.floor(at / hourMs) % 24;
}

function areNear(one: number, other: number): boolean {
  const apart = Math.abs(one - other);
  return apart <= 1 || apart === 23;
}

/** To what is told apart: the same on every machine, and short. */
function rounded(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}
