import type { PaymentFacts } from '../../facts/shape.js';
import type { Likeness } from '../likeness.js';

interface Comparison {
  payment: PaymentFacts;
  likeness: Likeness;
}

/** One way in which a payment can differ from its agent's usual behaviour. */
export interface Feature {
  /** Published as `ANOMALY_<name>`. */
  name: string;
  /** When it applies; published in docs/rules.md. */
  meaning: string;
  /** Its maximum contribution; below 0.50, so that no single feature triggers by default. */
  weight: number;
  /** Has half the weight if a human has seen the final values. */
  isSeenByHuman?: true;
  /** From 0 to 1; 0 if the value was not sent or cannot be compared. */
  strength: (comparison: Comparison) => number;
}

/** In a shorter history a new value is more likely to be a coincidence. */
const longHistory = 20;

/** Strength of a value that none of `count` payments had. */
export function unseenStrength(count: number): number {
  return count >= longHistory ? 1 : 0.5;
}
