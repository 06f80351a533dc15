import type { Facts } from '../facts/shape.js';
import type { PackedState } from '../profile/packed-state.js';
import type { Verdict } from '../verdict.js';
import type { BasisFacts } from './basis.js';
import type { StoredPayment } from './payment-text.js';

/** The scores that a decision is recorded with. */
export type RecordedScores = Pick<Verdict, 'kya' | 'zone' | 'anomaly' | 'risk'>;

/** The facts of one decision; the rest is in the basis that they refer to. */
export type OwnFacts = Omit<Facts, 'model' | 'payment' | 'profile' | keyof BasisFacts> & {
  /** In the older model facts-2 the basis contains the thresholds themselves. */
  model: 'facts-2' | 'facts-3';
  /** Hex SHA-256 of the basis. */
  basis: string;
  payment: StoredPayment;
  profile: { version: number; packed: PackedState } | null;
};

/** The basis as it is stored, with the hash of its thresholds in their place. */
export type NamingBasis = Omit<BasisFacts, 'thresholds'> & { thresholds: string };
