import type { Constraint } from './constraints/constraint.js';
import { isCount } from './json-object.js';

/** The limits over several payments, which the ledger has to keep. */
export interface Terms {
  /** Null: one live use. */
  maxOccurrences: number | null;
  budgetMinor: number | null;
}

/** Where the user set a budget but no number of payments: the largest value of the column. */
const uncounted = 2_147_483_647;

/** The strictest limit of each kind. A subscription is set up only once. */
export function termsOf(constraints: readonly Constraint[]): Terms {
  const occurrences = constraints
    .filter(({ type }) => type === 'mandate.payment.agent_recurrence')
    .map(({ body }) => (isCount(body.max_occurrences) ? body.max_occurrences : uncounted));
  const budgets = constraints
    .filter(({ type }) => type === 'mandate.payment.budget')
    .map(({ body }) => (isCount(body.max) ? body.max : 0));
  const once = constraints.some(({ type }) => type === 'mandate.payment.recurrence');
  return {
    maxOccurrences: once
      ? null
      : leastOf([...occurrences.map((count) => Math.min(count, uncounted))]),
    budgetMinor: leastOf(budgets),
  };
}

function leastOf(numbers: number[]): number | null {
  return numbers.length === 0 ? null : Math.min(...numbers);
}
