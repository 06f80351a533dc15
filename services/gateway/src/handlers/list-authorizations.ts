import type { Handler } from '../handler.js';
import { pageReply, pageRequest } from '../pagination.js';
import type { logQuery } from '../schemas/log-query.js';
import { logEntryView } from '../views/authorization.js';
import { moneyNumber } from '../views/money.js';

/** An agent that is asked for must be the caller's, or an empty log would hide a mistaken id. */
export const listAuthorizations: Handler<{ query: typeof logQuery }> = async (context, request) => {
  const { tenant, query } = request;
  const { agent_id: agentId, from, until } = query;
  const selection = {
    ...{ agentId, from, until },
    clientReference: query.client_reference,
    idempotencyKey: query.idempotency_key,
    firstDecision: query.first_decision,
  };
  const of = [tenant.principalId, JSON.stringify(selection)];
  const list = { name: 'log', request, of };
  const page = pageRequest(context, list);
  const { identity, ledger } = context.clients;
  const [{ entries, hasMore }] = await Promise.all([
    ledger.call.ListAuthorizations({ tenant, page, ...selection }, request.callOptions()),
    agentId && identity.call.GetAgent({ tenant, id: agentId }, request.callOptions()),
  ]);
  return pageReply(context, list, {
    items: entries,
    hasMore,
    view: (entry) => logEntryView(entry, moneyNumber),
  });
};
