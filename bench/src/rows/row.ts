import type { Bench } from '../bench.js';
import type { Spread } from '../spread.js';

export type RowId = `P${number}`;

/** One number of a row, with its required and its target value. */
export interface Figure {
  name: string;
  /** Whether higher or lower values are better. */
  better: 'higher' | 'lower';
  must: number;
  aim: number;
  unit?: 's';
}

/** The result of a row: a value for each of its figures, in their order. */
export interface Measured {
  values: readonly Spread[];
  /** The actual conditions: sizes, rates, and whatever explains the values. */
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
