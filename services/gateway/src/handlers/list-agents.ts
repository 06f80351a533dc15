import { agentProfiles } from '../agent-profiles.js';
import type { Handler } from '../handler.js';
import type { listAgentsQuery } from '../schemas/agent.js';
import { runtimeAgentView } from '../views/agent.js';

export const listAgents: Handler<{ query: typeof listAgentsQuery }> = async (context, request) => {
  const { status, trust_level: trustLevel, page, page_size: pageSize } = request.query;
  const { agents, total } = await context.clients.identity.call.ListAgents(
    { tenant: request.tenant, status, trustLevel, page, pageSize },
    request.callOptions(),
  );
  const ids = agents.map((agent) => agent.id);
  const profiles = await agentProfiles(context, request, ids);
  return {
    status: 200,
    body: {
      agents: agents.map((agent) => runtimeAgentView(agent, profiles.get(agent.id))),
      total,
      page,
      page_size: pageSize,
    },
  };
};
