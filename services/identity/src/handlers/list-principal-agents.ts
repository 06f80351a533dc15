import type { Position } from '@countersign/proto/conventions';
import { agentView } from '../agent/view.js';
import type { Context } from '../context.js';
import type { Prisma } from '../generated/prisma/client.js';
import { refusal } from '../refusal.js';
import type { Handler } from './handler.js';

/** Also the page size of callers that request no page. */
const maxAgents = 1_000;

/** In order of creation. Reads one row more than requested to set `hasMore`. */
export function listPrincipalAgents(context: Context): Handler<'ListPrincipalAgents'> {
  return async ({ clientId, principalId, page }, { environment }) => {
    const { prisma } = context.stores[environment];
    const principal = await prisma.principal.findFirst({
      where: { id: principalId, clientId },
      select: { id: true },
    });
    if (!principal) throw refusal.principalNotFoundWhileOnboarding();
    const limit = Math.min(Math.max(page?.limit ?? maxAgents, 1), maxAgents);
    const [agents, total] = await Promise.all([
      prisma.agent.findMany({
        where: { principalId, ...(page?.after && after(page.after)) },
        orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
        take: limit + 1,
      }),
      prisma.agent.count({ where: { principalId } }),
    ]);
    const hasMore = agents.length > limit;
    return { agents: agents.slice(0, limit).map(agentView), total, hasMore };
  };
}

/** The index can seek to the bound on created_at alone; the OR clause breaks ties by id. */
function after({ createdAt, id }: Position): Prisma.AgentWhereInput {
  return {
    createdAt: { gte: createdAt },
    OR: [{ createdAt: { gt: createdAt } }, { id: { gt: id } }],
  };
}
