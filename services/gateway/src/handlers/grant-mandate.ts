import { newId } from '@countersign/kernel/id';
import type { Handler } from '../handler.js';
import { createOnce } from '../idempotency/create-once.js';
import { grantMandateMessage } from '../messages/mandate.js';
import type { grantMandate as body } from '../schemas/mandate.js';
import type { agentPath } from '../schemas/path.js';
import { onboardingMandateView } from '../views/mandate.js';

export const grantMandate: Handler<{ params: typeof agentPath; body: typeof body }> = (
  context,
  request,
) =>
  createOnce(context, request, {
    operation: 'grantMandate',
    mint: () => ({ mandate: newId('mandate') }),
    create: async (ids) => {
      const grant = {
        id: ids.mandate,
        clientId: request.caller.clientId,
        agentId: request.params.agent_id,
      };
      const mandate = await context.clients.identity.call.CreateMandate(
        grantMandateMessage(grant, request.body),
        request.callOptions(),
      );
      return { status: 201, body: onboardingMandateView(mandate) };
    },
  });
