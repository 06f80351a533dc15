import type { Constraint } from './constraints/constraint.js';
import { isCount } from './json-object.js';

/** Limits over several payments, which the ledger enforces in its transaction. */
export interface Terms {
  /** Null: one live use. */
  maxOccurrences: number | null;
  budgetMinor: number | null;
}

/** Stands for no limit on the number of payments: none makes so many. */
const unlimited = 2_147_483_647;

/**
 * The strictest limit of each kind. `recurrence` means one payment that sets up a subscription.
 */
export function termsOf(constraints: readonly Constraint[]): Terms {
  const occurrences = constraints
    .filter(({ type }) => type === 'mandate.payment.agent_recurrence')
    .map(({ body }) => (isCount(body.max_occurrences) ? body.max_occurrences : unlimited));
  const budgets = constraints
    .filter(({ type }) => type === 'mandate.payment.budget')
    .map(({ body }) => (isCount(body.max) ? body.max : 0));
  const once = constraints.some(({ type }) => type === 'mandate.payment.recurrence');
  return {
    maxOccurrences: once ? null : minOf(occurrences.map((count) => Math.min(count, unlimited))),
    budgetMinor: minOf(budgets),
  };
}

function minOf(numbers: number[]): number | null {
  return numbers.length === 0 ? null : Math.min(...numbers);
}
