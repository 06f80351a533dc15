import { LatestRows } from './latest-rows.js';
import { column, columns, numbersOf, type PackedTrace, sketchIn } from './packed-trace.js';
import { sketchWords, wordsOf } from './sketch.js';
import { type Spread, spreadOf } from './spread.js';

/** One judged authorization, as its row has it. */
export interface TraceRow {
  /** The version that its agent's profile had with it. */
  version: number;
  approved: boolean;
  /** Epoch milliseconds of the decision. */
  at: number;
  /** Of the authorization. */
  name: number;
  packed: PackedTrace;
}

export const maxApproved = 200;
/** Declined, or waiting for a human: only what repeats itself within a day is looked for there. */
export const maxOthers = 64;
const maxReasons = 32;

export const reasonColumn = { amount: 2, merchant: 3, words: 4 } as const;
export const reasonColumns = reasonColumn.words + sketchWords;

/**
 * What is remembered of an agent's payments to compare the next one with, as of a version of its
 * profile. Rows may come in any order: the latest by the time of their decisions are kept.
 */
export class Baseline {
  version = 0;
  readonly approved = new LatestRows(columns, maxApproved);
  readonly others = new LatestRows(columns, maxOthers);
  readonly reasons = new LatestRows(reasonColumns, maxReasons);
  #spread: { of: number; currency: number; spread: Spread } | null = null;

  /** In rows, with what an empty one takes: what bounds memory. */
  get weight(): number {
    const empty = 8;
    return empty + this.approved.room + this.others.room + this.reasons.room;
  }

  put({ approved, at, name, packed }: TraceRow): void {
    const row = [at, name, ...numbersOf(packed)];
    // Of a challenge that was confirmed both rows may come, the later one last.
    if (approved) this.others.remove(name);
    (approved ? this.approved : this.others).put(row);
    this.#spread = null;
    const sketch = sketchIn(packed);
    if (sketch === '' || !approved) return;
    const [amount = 0, merchant = 0] = [row[column.amount], row[column.merchant]];
    this.reasons.put([at, name, amount, merchant, ...wordsOf(sketch)]);
  }

  /** Of the amounts that are given; computed once for as many of a currency until a row comes. */
  spreadOf(amounts: Float64Array, currency: number): Spread {
    const known = this.#spread;
    if (known?.of === amounts.length && known.currency === currency) return known.spread;
    const spread = spreadOf(amounts);
    this.#spread = { of: amounts.length, currency, spread };
    return spread;
  }
}
