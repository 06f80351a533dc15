import { agentView } from '../agent/view.js';
import type { Context } from '../context.js';
import { refusal } from '../refusal.js';
import type { Handler } from './handler.js';

const maxAgents = 1_000;

/** The onboarding plane's list has no pages: in order of creation, up to a bound. */
export function listPrincipalAgents(context: Context): Handler<'ListPrincipalAgents'> {
  return async ({ clientId, principalId }, { environment }) => {
    const { prisma } = context.stores[environment];
    const principal = await prisma.principal.findFirst({
      where: { id: principalId, clientId },
      select: { id: true },
    });
    if (!principal) throw refusal.principalNotFoundWhileOnboarding();
    const [agents, total] = await Promise.all([
      prisma.agent.findMany({
        where: { principalId },
        orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
        take: maxAgents,
      }),
      prisma.agent.count({ where: { principalId } }),
    ]);
    return { agents: agents.map(agentView), total };
  };
}
