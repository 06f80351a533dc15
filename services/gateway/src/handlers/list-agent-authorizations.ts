import type { Handler } from '../handler.js';
import { pageReply, pageRequest } from '../pagination.js';
import type { pageQuerySchema } from '../schemas/list.js';
import type { agentPath } from '../schemas/path.js';
import { logEntryView } from '../views/authorization.js';
import { moneyNumber } from '../views/money.js';

/** Whose agent it is was settled by identity: one that is not the caller's has no log to read. */
export const listAgentAuthorizations: Handler<{
  params: typeof agentPath;
  query: typeof pageQuerySchema;
}> = async (context, request) => {
  const { tenant } = request;
  const agentId = request.params.agent_id;
  const list = { name: 'agent-log', request, of: [tenant.principalId, agentId] };
  const page = pageRequest(context, list);
  const [, { entries, hasMore }] = await Promise.all([
    context.clients.identity.call.GetAgent({ tenant, id: agentId }, request.callOptions()),
    context.clients.ledger.call.ListAgentAuthorizations(
      { tenant, agentId, page },
      request.callOptions(),
    ),
  ]);
  return pageReply(context, list, {
    items: entries,
    hasMore,
    view: (entry) => logEntryView(entry, moneyNumber),
  });
};
