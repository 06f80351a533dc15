import { newId } from '@countersign/kernel/id';
import type { Handler } from '../handler.js';
import { createOnce } from '../idempotency/create-once.js';
import { addAgentMessage } from '../messages/agent.js';
import type { addAgent as body } from '../schemas/agent.js';
import type { principalPath } from '../schemas/path.js';
import { onboardingAgentView } from '../views/agent.js';

export const addAgent: Handler<{ params: typeof principalPath; body: typeof body }> = (
  context,
  request,
) =>
  createOnce(context, request, {
    operation: 'addAgent',
    mint: () => ({ agent: newId('agent') }),
    create: async (ids) => {
      const { clientId } = request.caller;
      const owner = { clientId, principalId: request.params.principal_id };
      const agent = await context.clients.identity.call.CreateAgent(
        addAgentMessage(ids.agent, owner, request.body),
        request.callOptions(),
      );
      return { status: 201, body: onboardingAgentView(agent) };
    },
  });
