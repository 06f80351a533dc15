import { newId } from '@countersign/kernel/id';
import type { Handler } from '../handler.js';
import { createOnce } from '../idempotency/create-once.js';
import { addAgentMessage } from '../messages/agent.js';
import { grantMandateMessage } from '../messages/mandate.js';
import { registerPrincipalMessage } from '../messages/principal.js';
import { present } from '../present.js';
import type { onboard as body } from '../schemas/onboarding.js';
import { onboardingAgentView } from '../views/agent.js';
import { onboardingMandateView } from '../views/mandate.js';
import { principalView, registrationStatus } from '../views/principal.js';

/** Principal, first agent and mandate: all three or none. */
export const onboard: Handler<{ body: typeof body }> = (context, request) => {
  const { clientId } = request.caller;
  const { body } = request;
  return createOnce(context, request, {
    operation: 'onboard',
    mint: () => ({
      principal: newId('principal'),
      verificationSession: newId('verificationSession'),
      agent: newId('agent'),
      mandate: newId('mandate'),
    }),
    create: async (ids) => {
      const owner = { clientId, principalId: ids.principal };
      const grant = { id: ids.mandate, clientId, agentId: ids.agent };
      const { principal, agent, mandate } = await context.clients.identity.call.Onboard(
        {
          principal: registerPrincipalMessage(clientId, ids, body.principal),
          agent: addAgentMessage(ids.agent, owner, body.agent),
          mandate: grantMandateMessage(grant, body.mandate),
        },
        request.callOptions(),
      );
      return {
        status: registrationStatus(present(principal)),
        body: {
          principal: principalView(present(principal)),
          agent: onboardingAgentView(present(agent)),
          mandate: onboardingMandateView(present(mandate)),
        },
      };
    },
  });
};
