import { LatestRows } from './latest-rows.js';
import { type PackedTrace, sketchIn } from './packed-trace.js';
import { column, columns, pastRow } from './past-row.js';
import { RowSpace } from './row-space.js';
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
/** Of a baseline that holds no rows, and of its name. */
const ownBytes = 1_000;

export const reasonColumn = { amount: 2, merchant: 3, words: 5 } as const;
export const reasonColumns = reasonColumn.words + sketchWords;

/** Where the rows of all agents are. */
export class PastSpace {
  readonly payments = new RowSpace(columns);
  readonly reasons = new RowSpace(reasonColumns);
}

/**
 * What is remembered of an agent's payments to compare the next one with, as of a version of its
 * profile. Rows may come in any order: the latest by the time of their decisions are kept.
 */
export class Baseline {
  version = 0;
  readonly approved: LatestRows;
  readonly others: LatestRows;
  readonly reasons: LatestRows;
  #spread: { of: number; currency: number; spread: Spread } | null = null;

  constructor(space = new PastSpace()) {
    this.approved = new LatestRows(space.payments, maxApproved);
    this.others = new LatestRows(space.payments, maxOthers);
    this.reasons = new LatestRows(space.reasons, maxReasons);
  }

  /** Bytes of memory. */
  get weight(): number {
    return ownBytes + this.approved.bytes + this.others.bytes + this.reasons.bytes;
  }

  put({ approved, at, name, packed }: TraceRow): void {
    const row = pastRow(at, name, packed);
    // Of a challenge that was confirmed both rows may come, the later one last.
    if (approved) this.others.remove(row[column.name] ?? 0);
    (approved ? this.approved : this.others).put(row);
    this.#spread = null;
    const sketch = sketchIn(packed);
    if (sketch === '' || !approved) return;
    const kept = [column.at, column.name, column.amount, column.merchant, column.merchant + 1];
    this.reasons.put([...kept.map((place) => row[place] ?? 0), ...wordsOf(sketch)]);
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
