import type { z } from 'zod';
import type { Context } from '../context.js';
import { pageReply, pageRequest } from '../pagination.js';
import { fraudPatternView } from '../views/fraud-pattern.js';
import type * as answers from './answers.js';
import type { Answer, OperatorRequest } from './route.js';
import type { inEnvironment, page } from './schemas.js';

/** Suspected takeovers of every Principal's agents, to see what several have in common. */
export async function listFraudPatterns(
  context: Context,
  {
    params: { environment },
    query,
    callOptions,
  }: OperatorRequest<z.output<typeof inEnvironment>, z.output<typeof page>>,
): Promise<Answer<typeof answers.fraudPatternPage>> {
  const list = { name: 'operator fraud-patterns', request: { environment, query }, of: [] };
  const { patterns, hasMore } = await context.clients.decision.call.ListAllFraudPatterns(
    { page: pageRequest(context, list) },
    callOptions(environment),
  );
  return pageReply(context, list, {
    items: patterns,
    hasMore,
    view: (pattern) => ({ principal_id: pattern.principalId, ...fraudPatternView(pattern) }),
  });
}
