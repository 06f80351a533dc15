import type { Handler } from '../handler.js';
import { principalAgents } from '../principal-agents.js';
import type { principalPath } from '../schemas/path.js';

export const listPrincipalAgents: Handler<{ params: typeof principalPath }> = async (
  context,
  request,
) => {
  const principalId = request.params.principal_id;
  const whose = { clientId: request.caller.clientId, principalId };
  const { agents, count } = await principalAgents(context, request, whose);
  return { status: 200, body: { principal_id: principalId, agents, count } };
};
