import { agentRecurrence } from './agent-recurrence.js';
import { allowedMerchants } from './allowed-merchants.js';
import { allowedPayees } from './allowed-payees.js';
import { amountRange } from './amount-range.js';
import { budget } from './budget.js';
import type { Constraint, Fulfilled, Judge, Problem } from './constraint.js';
import { lineItems } from './line-items.js';
import { ownLists } from './own-lists.js';
import { recurrence } from './recurrence.js';

/** The constraint types that a mandate of each subject may contain. */
const judges: Record<'payment' | 'checkout', ReadonlyMap<string, Judge>> = {
  payment: new Map<string, Judge>([
    ['mandate.payment.allowed_payees', allowedPayees],
    ['mandate.payment.amount_range', amountRange],
    ['mandate.payment.budget', budget],
    ['mandate.payment.recurrence', recurrence],
    ['mandate.payment.agent_recurrence', agentRecurrence],
    // Checked in pairing.ts.
    ['mandate.payment.reference', () => null],
    ...Object.entries(ownLists),
  ]),
  checkout: new Map<string, Judge>([
    ['mandate.checkout.allowed_merchants', allowedMerchants],
    ['mandate.checkout.line_items', lineItems],
    ...Object.entries(ownLists),
  ]),
};

export function examineConstraints(subject: 'payment' | 'checkout', fulfilled: Fulfilled): void {
  const { findings } = fulfilled.examination;
  for (const constraint of fulfilled.constraints) {
    const problem = problemOf(constraint, subject, fulfilled);
    if (problem) findings.add(problem.code, problem.detail);
  }
}

/** An unknown constraint is never skipped: what cannot be checked may be a limit. */
function problemOf(
  { type, body }: Constraint,
  subject: 'payment' | 'checkout',
  fulfilled: Fulfilled,
): Problem | null {
  const judge = judges[subject].get(type);
  if (judge) return judge(body, fulfilled);
  const detail = `the open ${subject} mandate has a constraint of an unknown type`;
  return { code: 'VI_CONSTRAINT_UNRESOLVED', detail };
}
