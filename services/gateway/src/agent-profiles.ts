import type { AgentProfile } from '@countersign/proto/decision';
import type { Context } from './context.js';
import type { Asking } from './request.js';

/** The most ids that decision takes in one call. */
const maxAsked = 500;

/** Decision's counters and scores by agent; an agent without a decision is absent. */
export async function agentProfiles(
  context: Pick<Context, 'clients'>,
  request: Asking,
  agentIds: string[],
): Promise<Map<string, AgentProfile>> {
  const found = new Map<string, AgentProfile>();
  // One call after the other, so that a long list does not compete with payments.
  for (let start = 0; start < agentIds.length; start += maxAsked) {
    const { profiles } = await context.clients.decision.call.GetAgentProfiles(
      { agentIds: agentIds.slice(start, start + maxAsked) },
      request.callOptions(),
    );
    for (const profile of profiles) found.set(profile.agentId, profile);
  }
  return found;
}
