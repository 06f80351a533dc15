import { maxApproved } from './baseline.js';
import type { Likeness } from './likeness.js';
import { alternativesIn, column, confidenceIn, lengthIn, mccIn, merchantIn } from './past-row.js';
import { medianOf, Sums } from './spread.js';

const hour = 3_600;
export const day = 24 * hour;
/** Older payments are not compared: an agent's behaviour changes. */
export const maxAgeSeconds = 90 * day;

/** Scratch space of one pass, safe to share because a pass is synchronous. */
const amounts = new Float64Array(maxApproved);
const alternatives = new Float64Array(maxApproved);

/** Aggregates of one pass over an agent's payments in the currency of `row`, oldest first. */
export class HistoryScan {
  n = 0;
  lastHour = 0;
  sameHours = 0;
  #spanSeconds = 0;
  readonly #row: readonly number[];
  readonly #at: number;
  readonly #hour: number;
  readonly #mcc: Share;
  readonly #place: Share;
  readonly #merchant: Share;
  readonly #confidence = new Sums();
  readonly #length = new Sums();
  #considered = 0;

  constructor(row: readonly number[]) {
    this.#row = row;
    this.#at = row[column.at] ?? 0;
    this.#hour = hourOf(this.#at);
    this.#mcc = new Share(mccIn(row, 0));
    this.#place = new Share(row[column.place] ?? 0);
    this.#merchant = new Share(merchantIn(row, 0));
  }

  /** Logarithms, in units of 1 / `amountSteps`. */
  amounts(): Float64Array {
    return amounts.subarray(0, this.n);
  }

  get spanHours(): number {
    return rounded(Math.max(hour, this.#spanSeconds) / hour);
  }

  add(rows: Uint32Array, from: number): void {
    const at = rows[from + column.at] ?? 0;
    const currency = rows[from + column.currency];
    if (at < this.#at - maxAgeSeconds || currency !== this.#row[column.currency]) return;
    amounts[this.n] = rows[from + column.amount] ?? 0;
    this.n += 1;
    if (this.n === 1) this.#spanSeconds = this.#at - at;
    // Concurrent requests may have been decided later than this one, hence the absolute value; a
    // difference of more than an hour comes from a clock that was wrong.
    if (Math.abs(this.#at - at) < hour) this.lastHour += 1;
    if (areAdjacent(hourOf(at), this.#hour)) this.sameHours += 1;
    this.#mcc.add(mccIn(rows, from));
    this.#place.add(rows[from + column.place] ?? 0);
    this.#merchant.add(merchantIn(rows, from));
    this.#addIntent(rows, from);
  }

  #addIntent(rows: Uint32Array, from: number): void {
    const confidence = confidenceIn(rows, from);
    if (confidence !== null) this.#confidence.add(confidence);
    const length = lengthIn(rows, from);
    if (length !== null) this.#length.add(length);
    const many = alternativesIn(rows, from);
    if (many === null) return;
    alternatives[this.#considered] = many;
    this.#considered += 1;
  }

  isNewMerchant(minCount: number): boolean {
    return this.#merchant.same === 0 && this.#merchant.isComparable(minCount);
  }

  /**
   * Optional attributes, compared only if this payment and at least `minCount` others have them.
   */
  addOptional(likeness: Likeness, minCount: number): void {
    if (this.#mcc.isComparable(minCount)) likeness.mcc = this.#mcc.counted;
    if (this.#place.isComparable(minCount)) likeness.place = this.#place.counted;
    const confidence = confidenceIn(this.#row, 0);
    if (confidence !== null && this.#confidence.count >= minCount) {
      likeness.confidenceZ = rounded(this.#confidence.zScore(confidence, 0.05));
    }
    const length = lengthIn(this.#row, 0);
    if (length !== null && this.#length.count >= minCount) {
      likeness.reasoningZ = rounded(this.#length.zScore(length, 0.1));
    }
    if (alternativesIn(this.#row, 0) !== null && this.#considered >= minCount) {
      likeness.alternatives = medianOf(alternatives.subarray(0, this.#considered));
    }
  }
}

/** Counts how many payments have the same value of an attribute as this one; 0 means not sent. */
class Share {
  same = 0;
  #of = 0;
  readonly #current: number;

  constructor(current: number) {
    this.#current = current;
  }

  add(value: number): void {
    if (value === 0) return;
    this.#of += 1;
    if (value === this.#current) this.same += 1;
  }

  isComparable(minCount: number): boolean {
    return this.#current !== 0 && this.#of >= minCount;
  }

  get counted(): [same: number, of: number] {
    return [this.same, this.#of];
  }
}

function hourOf(at: number): number {
  return Math.floor(at / hour) % 24;
}

function areAdjacent(one: number, other: number): boolean {
  const apart = Math.abs(one - other);
  return apart <= 1 || apart === 23;
}

/** Removes differences in the last bits between machines, and keeps the record short. */
export function rounded(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}
