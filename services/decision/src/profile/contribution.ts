import { Decimal } from '@countersign/kernel/money';
import { type DecidedEntry, isApproved, offenceWhenAnswered, type ProfileEntry } from './entry.js';
import type { DecayedCounter, MarkKind, Totals } from './state.js';

/** What one authorization adds to the profile of its agent, which is the sum of these. */
export interface Contribution {
  decayed: Array<{ counter: DecayedCounter; weight: number; at: number }>;
  totals: Totals;
  outcomeCounts: Record<string, number>;
  marks: Array<{ kind: MarkKind; at: number }>;
}

const goodOutcomes: Record<string, number> = {
  SETTLED: 1,
  CLEARED: 1,
  PRINCIPAL_CONFIRMED_LEGITIMATE: 3,
  FALSE_POSITIVE_REPORTED: 1,
};
const badOutcomes: Record<string, number> = {
  MERCHANT_COMPLAINT: 3,
  CHARGEBACK: 10,
  PRINCIPAL_CONFIRMED_UNAUTHORIZED: 15,
  CONFIRMED_FRAUD: 20,
};
const markOf: Record<string, MarkKind> = {
  CHARGEBACK: 'chargeback',
  PRINCIPAL_CONFIRMED_UNAUTHORIZED: 'unauthorized',
  CONFIRMED_FRAUD: 'fraud',
};

export function contributionOf(entry: ProfileEntry): Contribution {
  const { decided } = entry;
  if (!decided || entry.voided) return nothing;
  const contribution: Contribution = {
    decayed: [],
    totals: totalsOf(entry, decided),
    outcomeCounts: Object.fromEntries(Object.keys(entry.outcomes).map((type) => [type, 1])),
    marks: [],
  };
  addDecision(contribution, entry, decided);
  if (Object.keys(entry.outcomes).length > 0) addOutcomes(contribution, entry);
  return contribution;
}

/** Of an authorization that is not decided yet, or that was voided. */
const nothing: Contribution = {
  decayed: [],
  totals: { total: 0, approved: 0, declined: 0, successful: 0 },
  outcomeCounts: {},
  marks: [],
};

function totalsOf(entry: ProfileEntry, decided: DecidedEntry): Totals {
  const approved = isApproved(entry);
  const how = entry.answered?.how;
  const declined = decided.decision === 'DECLINE' || how === 'DENIED' || how === 'REVOKED';
  // Compared as text first, since most are never reversed.
  const fullyReversed = entry.reversed !== '0' && new Decimal(entry.reversed).gte(decided.amount);
  return {
    total: 1,
    approved: approved ? 1 : 0,
    declined: declined ? 1 : 0,
    successful: approved && !fullyReversed ? 1 : 0,
  };
}

function addDecision(to: Contribution, entry: ProfileEntry, decided: DecidedEntry): void {
  const at = entry.answered?.at ?? decided.at;
  const add = (counter: DecayedCounter, weight: number, when = at): void => {
    if (weight > 0) to.decayed.push({ counter, weight, at: when });
  };
  // A reported false positive is no violation, whoever reported it and whenever.
  const cleared = 'FALSE_POSITIVE_REPORTED' in entry.outcomes;
  if (!cleared) add('complianceBad', offenceWhenAnswered(entry));
  // Requests that cost nothing must earn nothing: see decision 27.
  if (isApproved(entry)) {
    add('complianceGood', decided.merit);
    add('approvals', 1);
    add('chargeable', 1);
    if (decided.viVerified) add('verifiedApprovals', 1);
  }
  if (decided.anomaly !== null) {
    add('consistencyCount', 1, decided.at);
    add('consistencySum', 1 - decided.anomaly, decided.at);
  }
  if (decided.keyFailure) to.marks.push({ kind: 'keyFailure', at: decided.at });
}

/**
 * Only the most severe outcome of an authorization counts: that a payment was settled is nothing in
 * its favour once it is charged back.
 */
function addOutcomes(to: Contribution, entry: ProfileEntry): void {
  const bad = heaviest(entry, badOutcomes);
  const good = bad ? null : heaviest(entry, goodOutcomes);
  if (bad) to.decayed.push({ counter: 'outcomeBad', ...bad });
  if (good) to.decayed.push({ counter: 'outcomeGood', ...good });
  for (const [type, at] of standing(entry)) {
    const kind = markOf[type];
    if (kind) to.marks.push({ kind, at });
    if (type === 'CHARGEBACK') to.decayed.push({ counter: 'chargebacks', weight: 1, at });
  }
}

/** A resolved dispute takes the chargeback back. */
function standing(entry: ProfileEntry): Array<[type: string, at: number]> {
  const resolved = 'DISPUTE_RESOLVED' in entry.outcomes;
  return Object.entries(entry.outcomes).filter(([type]) => !(resolved && type === 'CHARGEBACK'));
}

function heaviest(
  entry: ProfileEntry,
  weights: Record<string, number>,
): { weight: number; at: number } | null {
  const [most] = standing(entry)
    .map(([type, at]) => ({ weight: weights[type] ?? 0, at }))
    // Of equal weights the later one, so that the order of arrival does not matter.
    .sort((a, b) => b.weight - a.weight || b.at - a.at);
  return most && most.weight > 0 ? most : null;
}
