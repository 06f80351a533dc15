import { startBudget } from '../budget.js';
import type { Context } from '../context.js';
import { explain } from '../explain.js';
import type { DecisionHandlers } from './handler.js';

/** Evaluates the record again: inputs, outcome of every rule, and components of the scores. */
export function explainAuthorization(context: Context): DecisionHandlers['ExplainAuthorization'] {
  return async ({ tenant, authorizationId }, call) => {
    const entry = await context.ledger.call.GetAuthorization(
      { tenant, authorizationId },
      startBudget(call, context.config.decisionDeadlineMs).callOptions('ledger'),
    );
    return { explanationJson: JSON.stringify(explain(entry)) };
  };
}
