import { checkFraudTriage } from '../checks/fraud-triage.js';
import type { Handler } from '../handler.js';
import { pageReply, pageRequest } from '../pagination.js';
import type { pageQuerySchema } from '../schemas/list.js';
import { fraudPatternView } from '../views/fraud-pattern.js';

export const listFraudPatterns: Handler<{ query: typeof pageQuerySchema }> = async (
  context,
  request,
) => {
  const { tenant } = request;
  await checkFraudTriage(context, request);
  const list = { name: 'fraud-patterns', request, of: [tenant.principalId] };
  const { patterns, hasMore } = await context.clients.decision.call.ListFraudPatterns(
    { tenant, page: pageRequest(context, list) },
    request.callOptions(),
  );
  return pageReply(context, list, { items: patterns, hasMore, view: fraudPatternView });
};
