import { callOptions } from '../call-options.js';
import type { Handler } from '../handler.js';
import type { listMandatesQuery } from '../schemas/mandate.js';
import type { agentPath } from '../schemas/path.js';
import { runtimeMandateView } from '../views/mandate.js';
import { moneyNumber } from '../views/money.js';

export const listAgentMandates: Handler<{
  params: typeof agentPath;
  query: typeof listMandatesQuery;
}> = async (context, request) => {
  const { mandates, total } = await context.clients.identity.call.ListAgentMandates(
    { tenant: request.tenant, agentId: request.params.agent_id, status: request.query.status },
    callOptions(context, request),
  );
  return {
    status: 200,
    body: {
      mandates: mandates.map((mandate) => runtimeMandateView(mandate, moneyNumber)),
      total,
    },
  };
};
