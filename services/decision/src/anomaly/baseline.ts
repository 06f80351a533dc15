import { LatestRows } from './latest-rows.js';
import { type PackedTrace, sketchIn } from './packed-trace.js';
import { column, columns, pastRow } from './past-row.js';
import { RowSpace } from './row-space.js';
import { sketchWords, wordsOf } from './sketch.js';
import { type Spread, spreadOf } from './spread.js';

/** An evaluated authorization, as it is stored. */
export interface TraceRow {
  /** Version of the agent's profile that includes it. */
  version: number;
  approved: boolean;
  /** Epoch milliseconds of the decision. */
  at: number;
  /** Number derived from the id of the authorization. */
  name: number;
  packed: PackedTrace;
}

export const maxApproved = 200;
/** Declined or awaiting a human: used only to find repetitions within a day. */
export const maxOthers = 64;
const maxReasons = 32;
/** Approximate size of a baseline without rows, with its map entry. */
const ownBytes = 1_000;

export const reasonColumn = { amount: 2, merchant: 3, words: 5 } as const;
const reasonColumns = reasonColumn.words + sketchWords;

/** Memory for the rows of all agents. */
export class PastSpace {
  readonly payments = new RowSpace(columns);
  readonly reasons = new RowSpace(reasonColumns);
}

/**
 * The cached payments of an agent with which its next payment is compared, as of a version of its
 * profile. Rows may arrive in any order: the latest by the time of their decisions are kept.
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

  /** In bytes. */
  get weight(): number {
    return ownBytes + this.approved.bytes + this.others.bytes + this.reasons.bytes;
  }

  put({ approved, at, name, packed }: TraceRow): void {
    const row = pastRow(at, name, packed);
    // A confirmed challenge has two rows: one when it was opened, and one when it was confirmed.
    if (approved) this.others.remove(row[column.name] ?? 0);
    (approved ? this.approved : this.others).put(row);
    this.#spread = null;
    const sketch = sketchIn(packed);
    if (sketch === '' || !approved) return;
    const kept = [column.at, column.name, column.amount, column.merchant, column.merchant + 1];
    this.reasons.put([...kept.map((place) => row[place] ?? 0), ...wordsOf(sketch)]);
  }

  /** Spread of the given amounts, cached by currency and count until a row is added. */
  spreadOf(amounts: Float64Array, currency: number): Spread {
    const known = this.#spread;
    if (known?.of === amounts.length && known.currency === currency) return known.spread;
    const spread = spreadOf(amounts);
    this.#spread = { of: amounts.length, currency, spread };
    return spread;
  }
}
