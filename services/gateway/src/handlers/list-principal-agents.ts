import { agentProfiles } from '../agent-profiles.js';
import { callOptions } from '../call-options.js';
import type { Handler } from '../handler.js';
import type { principalPath } from '../schemas/path.js';
import { agentSummaryView } from '../views/agent.js';

export const listPrincipalAgents: Handler<{ params: typeof principalPath }> = async (
  context,
  request,
) => {
  const principalId = request.params.principal_id;
  const { agents } = await context.clients.identity.call.ListPrincipalAgents(
    { clientId: request.caller.clientId, principalId },
    callOptions(context, request),
  );
  const ids = agents.map((agent) => agent.id);
  const profiles = await agentProfiles(context, request, ids);
  return {
    status: 200,
    body: {
      principal_id: principalId,
      agents: agents.map((agent) => agentSummaryView(agent, profiles.get(agent.id))),
      count: agents.length,
    },
  };
};
