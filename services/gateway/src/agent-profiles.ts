import type { AgentProfile } from '@countersign/proto/decision';
import { type Asking, callOptions } from './call-options.js';
import type { Context } from './context.js';

/** Decision refuses to be asked for more at once. */
const maxAsked = 500;

/** Decision's counters and scores by agent; one that has decided nothing yet has none. */
export async function agentProfiles(
  context: Pick<Context, 'clients' | 'clock'>,
  request: Asking,
  agentIds: string[],
): Promise<Map<string, AgentProfile>> {
  const found = new Map<string, AgentProfile>();
  // One after the other: a long list is to be read steadily, not to crowd out the payments.
  for (let start = 0; start < agentIds.length; start += maxAsked) {
    const { profiles } = await context.clients.decision.call.GetAgentProfiles(
      { agentIds: agentIds.slice(start, start + maxAsked) },
      callOptions(context, request),
    );
    for (const profile of profiles) found.set(profile.agentId, profile);
  }
  return found;
}
