import { Fault } from '@countersign/kernel/fault';
import type { DecisionMetrics } from './decision-metrics.js';

/** How often the ledger may send a proposal back, by outcome. */
const maxRounds = {
  limits_differ: 4,
  stale: 3,
  challenges_full: 4,
  basis_unknown: 2,
  intent_differs: 4,
};

type Outcome = keyof typeof maxRounds;

/** Bounds how often one decision is proposed. */
export class Rounds {
  readonly #counted: Pick<DecisionMetrics, 'rounds'>;
  readonly #made = new Map<Outcome, number>();

  constructor(counted: Pick<DecisionMetrics, 'rounds'>) {
    this.#counted = counted;
  }

  /** Throws for an outcome that is none of these, and for one that came too often. */
  count(outcome: string): void {
    if (!isRound(outcome)) throw unsettled(`the ledger answered ${outcome}`);
    this.#counted.rounds.inc({ reason: outcome });
    const made = (this.#made.get(outcome) ?? 0) + 1;
    this.#made.set(outcome, made);
    if (made > maxRounds[outcome]) throw unsettled(`still ${outcome} after ${made} rounds`);
  }
}

function isRound(outcome: string): outcome is Outcome {
  return Object.hasOwn(maxRounds, outcome);
}

export function unsettled(internal: string): Fault {
  return new Fault('unavailable', {
    message: 'The decision could not be settled; try again.',
    internal,
  });
}
