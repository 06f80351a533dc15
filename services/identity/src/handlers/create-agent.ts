import { agentRefusal, findCreatedAgent, insertAgent, readAgentIdentity } from '../agent/create.js';
import { agentView } from '../agent/view.js';
import type { Context } from '../context.js';
import { createOnce } from '../create-once.js';
import { findPrincipal } from '../principal/view.js';
import { refusal } from '../refusal.js';
import type { Handler } from './handler.js';

/** Serves the onboarding API and, with `program_optional`, the runtime API (DID, proven key). */
export function createAgent(context: Context): Handler<'CreateAgent'> {
  return async (request, { environment }) => {
    const { prisma } = context.stores[environment];
    const nowMs = context.clock();
    const agent = await createOnce({
      find: () => findCreatedAgent(prisma, request),
      create: async () => {
        const { principalId, clientId } = request;
        const principal = await findPrincipal(prisma, { id: principalId, clientId });
        if (!principal) throw principalNotFound(request.programOptional);
        const { baseUrl } = context.config;
        const identity = await readAgentIdentity(request, { baseUrl, environment, nowMs });
        const programIds = principal.enrolments.map(({ programId }) => programId);
        return prisma.$transaction((tx) =>
          insertAgent(tx, request, { identity, programIds, nowMs }),
        );
      },
      refuse: agentRefusal,
    });
    return agentView(agent);
  };
}

function principalNotFound(isRuntime: boolean): Error {
  return isRuntime ? refusal.principalNotFound() : refusal.principalNotFoundWhileOnboarding();
}
