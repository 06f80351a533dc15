import type { ResolvedThresholds } from '@countersign/kernel/trust';
import { agentProfiles } from '../agent-profiles.js';
import type { Handler } from '../handler.js';
import type { agentPath } from '../schemas/path.js';
import { agentMetricsView } from '../views/agent-metrics.js';
import { parsedJson } from '../views/json.js';

export const getAgentMetrics: Handler<{ params: typeof agentPath }> = async (context, request) => {
  const { identity, decision } = context.clients;
  const { tenant } = request;
  // Whose agent it is comes first: nothing else is asked about one that is not the caller's.
  const agent = await identity.call.GetAgent(
    { tenant, id: request.params.agent_id },
    request.callOptions(),
  );
  const [profiles, { resolvedJson }] = await Promise.all([
    agentProfiles(context, request, [agent.id]),
    decision.call.GetThresholds({ tenant }, request.callOptions()),
  ]);
  return {
    status: 200,
    body: agentMetricsView({
      agent,
      profile: profiles.get(agent.id),
      thresholds: parsedJson<ResolvedThresholds>(resolvedJson, {}),
      nowMs: context.clock(),
    }),
  };
};
