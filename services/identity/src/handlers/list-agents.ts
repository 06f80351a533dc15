import { trustLevels } from '@countersign/kernel/trust';
import { agentStatuses } from '@countersign/kernel/vocabulary';
import { agentView } from '../agent/view.js';
import type { Context } from '../context.js';
import { oneOf } from '../field-errors.js';
import type { Handler } from './handler.js';

const maxPageSize = 100;

/** Numbered pages, newest first, as in the public API. */
export function listAgents(context: Context): Handler<'ListAgents'> {
  return async ({ tenant, status, trustLevel, page, pageSize }, { environment }) => {
    const { prisma } = context.stores[environment];
    const where = {
      principalId: tenant?.principalId ?? '',
      clientId: tenant?.clientId ?? '',
      ...(status !== undefined && { status: oneOf('status', status, agentStatuses) }),
      ...(trustLevel !== undefined && {
        trustLevel: oneOf('trust_level', trustLevel, trustLevels),
      }),
    };
    const take = Math.min(Math.max(pageSize, 1), maxPageSize);
    const [agents, total] = await Promise.all([
      prisma.agent.findMany({
        where,
        orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
        skip: (Math.max(page, 1) - 1) * take,
        take,
      }),
      prisma.agent.count({ where }),
    ]);
    return { agents: agents.map(agentView), total };
  };
}
