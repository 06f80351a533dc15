import type { Bench } from '../bench.js';
import type { Spread } from '../spread.js';

export type RowId = `P${number}`;

/** One number of a row, and how far it must and should get. */
export interface Figure {
  name: string;
  /** Which side of a goal is the good one. */
  better: 'higher' | 'lower';
  must: number;
  aim: number;
  unit?: 's';
}

/** What a row found: a value for each of its figures, in their order. */
export interface Measured {
  values: readonly Spread[];
  /** What was really measured: sizes, rates, and whatever explains the values. */
  detail: Record<string, unknown>;
}

/** One line of the table of goals. */
export interface Row {
  id: RowId;
  what: string;
  figures: readonly Figure[];
  measure(bench: Bench): Promise<Measured>;
}

export type Verdict = 'aim' | 'must' | 'missed';

export function verdictOf({ better, must, aim }: Figure, value: number): Verdict {
  const reaches = (goal: number): boolean => (better === 'higher' ? value >= goal : value <= goal);
  if (reaches(aim)) return 'aim';
  return reaches(must) ? 'must' : 'missed';
}
