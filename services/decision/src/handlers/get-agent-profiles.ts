import { Fault } from '@countersign/kernel/fault';
import type { Context } from '../context.js';
import { profileMessage } from '../profile/message.js';
import type { ProfileState } from '../profile/state.js';
import type { DecisionHandlers } from './handler.js';

const maxAgents = 500;

/** One profile for each id, in the order asked. Whose agents they are is for the caller to know. */
export function getAgentProfiles(context: Context): DecisionHandlers['GetAgentProfiles'] {
  return async ({ agentIds }, call) => {
    if (agentIds.length > maxAgents) {
      throw new Fault('malformed', {
        code: 'BAD_REQUEST',
        message: `At most ${maxAgents} agents.`,
      });
    }
    const rows = await context.stores[call.environment].prisma.agentProfile.findMany({
      where: { agentId: { in: agentIds } },
      select: { agentId: true, state: true },
    });
    const states = new Map(
      rows.map(({ agentId, state }) => [agentId, state as unknown as ProfileState]),
    );
    const profiles = agentIds.map((id) => profileMessage(id, states.get(id) ?? null));
    return { profiles };
  };
}
