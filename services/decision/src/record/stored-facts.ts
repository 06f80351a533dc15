import type { Facts } from '../facts/shape.js';
import type { PackedState } from '../profile/packed-state.js';
import type { Verdict } from '../verdict.js';
import type { BasisFacts } from './basis.js';
import type { PackedPayment } from './packed-payment.js';

/** The scores that a decision is recorded with. */
export type RecordedScores = Pick<Verdict, 'kya' | 'zone' | 'anomaly' | 'risk'>;

/** What most payments do not have; absent then. */
type RareFacts = Pick<
  Facts,
  'velocity' | 'merchantKnown' | 'likeness' | 'intent' | 'intentState' | 'openChallengesFull'
>;

/**
 * The facts of one decision; the rest is in the basis that the record refers to. Its hash is not
 * repeated here, but the input hash covers it.
 */
export interface PackedFacts extends RareFacts {
  model: 'facts-4';
  made: [
    environment: Facts['environment'],
    decidedAt: string,
    clientId: string,
    actingPrincipalId: string | null,
  ];
  payment: PackedPayment;
  profile: [version: number, packed: PackedState] | null;
  /** Absent if the ledger has refused nothing, as in most decisions. */
  limits?: Facts['limits'];
}

/** The basis as it is stored, with the hash of its thresholds in their place. */
export type NamingBasis = Omit<BasisFacts, 'thresholds'> & { thresholds: string };
