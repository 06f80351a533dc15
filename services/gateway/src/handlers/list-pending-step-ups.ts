import type { Handler } from '../handler.js';
import { pageReply, pageRequest } from '../pagination.js';
import type { pageQuerySchema } from '../schemas/list.js';
import { pendingStepUpView } from '../views/authorization.js';

export const listPendingStepUps: Handler<{ query: typeof pageQuerySchema }> = async (
  context,
  request,
) => {
  const { tenant } = request;
  const list = { name: 'pending-step-ups', request, of: [tenant.principalId] };
  const { entries, hasMore } = await context.clients.ledger.call.ListPendingStepUps(
    { tenant, page: pageRequest(context, list) },
    request.callOptions(),
  );
  return pageReply(context, list, {
    items: entries,
    hasMore,
    view: pendingStepUpView,
  });
};
