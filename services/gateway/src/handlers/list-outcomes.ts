import type { Handler } from '../handler.js';
import { pageReply, pageRequest } from '../pagination.js';
import type { pageQuerySchema } from '../schemas/list.js';
import type { authorizationPath } from '../schemas/path.js';
import { moneyNumber } from '../views/money.js';
import { outcomeView } from '../views/outcome.js';

export const listOutcomes: Handler<{
  params: typeof authorizationPath;
  query: typeof pageQuerySchema;
}> = async (context, request) => {
  const { tenant } = request;
  const authorizationId = request.params.authorization_id;
  const list = { name: 'outcomes', request, of: [tenant.principalId, authorizationId] };
  const { outcomes, hasMore } = await context.clients.ledger.call.ListOutcomes(
    { tenant, authorizationId, page: pageRequest(context, list) },
    request.callOptions(),
  );
  return pageReply(context, list, {
    items: outcomes,
    hasMore,
    view: (outcome) => outcomeView(outcome, moneyNumber),
  });
};
