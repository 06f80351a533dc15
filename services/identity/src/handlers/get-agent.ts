import { agentView } from '../agent/view.js';
import type { Context } from '../context.js';
import { requireOwnAgent } from '../ownership.js';
import type { Handler } from './handler.js';

export function getAgent(context: Context): Handler<'GetAgent'> {
  return async ({ id, tenant }, { environment }) => {
    const agent = await context.stores[environment].prisma.agent.findUnique({ where: { id } });
    return agentView(requireOwnAgent(agent, tenant));
  };
}
