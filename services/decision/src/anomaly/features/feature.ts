import type { PaymentFacts } from '../../facts-shape.js';
import type { Likeness } from '../likeness.js';

/** The payment, and how it compares with what its agent did before. */
export interface Comparison {
  payment: PaymentFacts;
  likeness: Likeness;
}

/** One way in which a payment can be unlike its agent. */
export interface Feature {
  /** Told as `ANOMALY_<name>`. */
  name: string;
  /** When it speaks, for whoever reads of it. */
  meaning: string;
  /** The most it can contribute; below 0.50, so that no feature triggers alone. */
  weight: number;
  /** Weighs half where a human has seen the final values. */
  isSeenByHuman?: true;
  /** How strongly it speaks, 0 to 1; 0 of what was not sent or cannot be compared. */
  strength: (comparison: Comparison) => number;
}

/** So many payments that one unlike all of them is no accident of a short history. */
const many = 20;

/** Of a kind of which `same` of `of` payments were: unseen, and not of a short history. */
export function unseenStrength(of: number): number {
  return of >= many ? 1 : 0.5;
}
