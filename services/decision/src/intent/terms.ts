import type { Constraint } from './constraints/constraint.js';
import { isCount } from './json-object.js';

/** What the ledger has to hold over several payments. */
export interface Terms {
  /** Null: one live use. */
  maxOccurrences: number | null;
  budgetMinor: number | null;
}

/** Where the user set no number, the budget alone bounds the payments; it fits any column. */
const uncounted = 2_147_483_647;

/** The narrowest of each kind. A subscription is set up once, whatever else is said. */
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
