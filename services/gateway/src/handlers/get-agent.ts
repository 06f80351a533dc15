import { agentProfiles } from '../agent-profiles.js';
import type { Handler } from '../handler.js';
import type { agentPath } from '../schemas/path.js';
import { runtimeAgentView } from '../views/agent.js';

export const getAgent: Handler<{ params: typeof agentPath }> = async (context, request) => {
  const agent = await context.clients.identity.call.GetAgent(
    { tenant: request.tenant, id: request.params.agent_id },
    request.callOptions(),
  );
  const profiles = await agentProfiles(context, request, [agent.id]);
  return { status: 200, body: runtimeAgentView(agent, profiles.get(agent.id)) };
};
