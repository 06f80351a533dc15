import { agentView } from '../agent/view.js';
import type { Context } from '../context.js';
import { refusal } from '../refusal.js';
import type { Handler } from './handler.js';

/** Not restricted to a tenant: only the operator asks, who has no more than the id. */
export function findAgent(context: Context): Handler<'FindAgent'> {
  return async ({ id }, { environment }) => {
    const agent = await context.stores[environment].prisma.agent.findUnique({ where: { id } });
    if (!agent) throw refusal.agentNotFound();
    return agentView(agent);
  };
}
