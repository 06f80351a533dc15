import { newId } from '@countersign/kernel/id';
import { ownPrincipalOnly } from '../checks/own-principal-only.js';
import type { Handler } from '../handler.js';
import { createAgentMessage } from '../messages/agent.js';
import type { createAgent as body } from '../schemas/agent.js';
import { runtimeAgentView } from '../views/agent.js';

export const createAgent: Handler<{ body: typeof body }> = async (context, request) => {
  ownPrincipalOnly(request.tenant, request.body.principal_id);
  const agent = await context.clients.identity.call.CreateAgent(
    createAgentMessage(newId('agent'), request.tenant, request.body),
    request.callOptions(),
  );
  return { status: 201, body: runtimeAgentView(agent, undefined) };
};
