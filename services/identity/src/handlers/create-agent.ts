import { agentRefusal, findCreatedAgent, insertAgent, readAgentIdentity } from '../agent/create.js';
import { agentView } from '../agent/view.js';
import type { Context } from '../context.js';
import { createOnce } from '../create-once.js';
import { lockPrincipal } from '../lock.js';
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
        const owner = { id: principalId, clientId };
        const notFound = (): Error => principalNotFound(request.programOptional);
        if ((await prisma.principal.count({ where: owner })) === 0) throw notFound();
        const { baseUrl } = context.config;
        const identity = await readAgentIdentity(request, { baseUrl, environment, nowMs });
        return prisma.$transaction(async (tx) => {
          // An erasure holds this lock: what it deletes must not be written again behind it.
          await lockPrincipal(tx, principalId);
          const principal = await findPrincipal(tx, owner);
          if (!principal) throw notFound();
          if (!principal.profile) throw refusal.personalDataErased();
          const programIds = principal.enrolments.map(({ programId }) => programId);
          return insertAgent(tx, request, { identity, programIds, nowMs });
        });
      },
      refuse: agentRefusal,
    });
    return agentView(agent);
  };
}

function principalNotFound(isRuntime: boolean): Error {
  return isRuntime ? refusal.principalNotFound() : refusal.principalNotFoundWhileOnboarding();
}
