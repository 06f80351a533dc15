import type { Agent } from '@countersign/proto/identity';
import { agentProfiles } from './agent-profiles.js';
import type { Context } from './context.js';
import type { Asking } from './request.js';
import { agentSummaryView } from './views/agent.js';

const pageSize = 500;
/** The list has no cursor, so it has an end; the published description tells where. */
const maxPages = 20;

type Services = Pick<Context, 'clients'>;

interface Owner {
  clientId: string;
  principalId: string;
}

/** The agents of a Principal as they are listed, and how many there are. */
export async function principalAgents(context: Services, request: Asking, whose: Owner) {
  const { agents, total } = await agentsOf(context, request, whose);
  const ids = agents.map((agent) => agent.id);
  const profiles = await agentProfiles(context, request, ids);
  return {
    agents: agents.map((agent) => agentSummaryView(agent, profiles.get(agent.id))),
    count: total,
  };
}

/** All of them in order of creation, as far as the list goes, and how many there are. */
async function agentsOf(
  context: Services,
  request: Asking,
  whose: Owner,
): Promise<{ agents: Agent[]; total: number }> {
  const agents: Agent[] = [];
  for (let page = 1; ; page += 1) {
    const last = agents.at(-1);
    const after = last && { createdAt: last.createdAt, id: last.id };
    const found = await context.clients.identity.call.ListPrincipalAgents(
      { ...whose, page: { limit: pageSize, after } },
      request.callOptions(),
    );
    agents.push(...found.agents);
    if (!found.hasMore || page === maxPages) {
      // One may be added between two pages: a list that is whole counts itself.
      return { agents, total: found.hasMore ? found.total : agents.length };
    }
  }
}
