import type { Handler } from '../handler.js';
import type { updateAgentStatus as body } from '../schemas/agent.js';
import type { agentPath } from '../schemas/path.js';
import { agentStatusView } from '../views/agent.js';

export const updateAgentStatus: Handler<{ params: typeof agentPath; body: typeof body }> = async (
  context,
  request,
) => {
  const { status, reason } = request.body;
  const agent = await context.clients.identity.call.UpdateAgentStatus(
    { tenant: request.tenant, id: request.params.agent_id, status, reason },
    request.callOptions(),
  );
  return { status: 200, body: agentStatusView(agent) };
};
