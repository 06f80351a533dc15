import type { Handler } from '../handler.js';
import type { listMandatesQuery } from '../schemas/mandate.js';
import type { agentPath } from '../schemas/path.js';
import { runtimeMandateView } from '../views/mandate.js';
import { moneyNumber } from '../views/money.js';

/** The newest of an agent, as many as identity puts into one page; `total` counts all. */
export const listAgentMandates: Handler<{
  params: typeof agentPath;
  query: typeof listMandatesQuery;
}> = async (context, request) => {
  const { tenant, params, query } = request;
  const { mandates, total } = await context.clients.identity.call.ListAgentMandates(
    { tenant, agentId: params.agent_id, status: query.status },
    request.callOptions(),
  );
  const views = mandates.map((mandate) => runtimeMandateView(mandate, moneyNumber));
  return { status: 200, body: { mandates: views, total } };
};
