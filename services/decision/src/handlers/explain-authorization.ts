import { startBudget } from '../budget.js';
import type { Context } from '../context.js';
import { explain } from '../explain.js';
import type { DecisionHandlers } from './handler.js';

/** Judged again from the record: what went in, what every rule said, how the scores came about. */
export function explainAuthorization(context: Context): DecisionHandlers['ExplainAuthorization'] {
  return async ({ tenant, authorizationId }, call) => {
    const entry = await context.ledger.call.GetAuthorization(
      { tenant, authorizationId },
      startBudget(call, context.config.decisionDeadlineMs).callOptions('ledger'),
    );
    return { explanationJson: JSON.stringify(explain(entry)) };
  };
}
