import type { AgentProfile } from '@countersign/proto/decision';
import { type Asking, callOptions } from './call-options.js';
import type { Context } from './context.js';

/** Decision's counters and scores by agent; one that has decided nothing yet has none. */
export async function agentProfiles(
  context: Pick<Context, 'clients' | 'clock'>,
  request: Asking,
  agentIds: string[],
): Promise<Map<string, AgentProfile>> {
  if (agentIds.length === 0) return new Map();
  const { profiles } = await context.clients.decision.call.GetAgentProfiles(
    { agentIds },
    callOptions(context, request),
  );
  return new Map(profiles.map((profile) => [profile.agentId, profile]));
}
