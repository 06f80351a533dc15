import type { AgentProfile } from '@countersign/proto/decision';
import type { Agent } from '@countersign/proto/identity';

/** Decision's counters of an agent; absent while nothing has been recorded for it. */
type Profile = AgentProfile | undefined;

export function onboardingAgentView(agent: Agent) {
  return {
    id: agent.id,
    principal_id: agent.principalId,
    client_id: agent.clientId,
    program_id: agent.programId ?? null,
    did: agent.did,
    name: agent.name,
    status: agent.status,
    trust_level: agent.trustLevel,
    // Nothing has been recorded for a new agent.
    kya_score: null,
    created_at: agent.createdAt,
  };
}

export function agentSummaryView(agent: Agent, profile: Profile) {
  return {
    id: agent.id,
    name: agent.name,
    status: agent.status,
    trust_level: agent.trustLevel,
    kya_score: profile?.kyaScore ?? null,
  };
}

export function runtimeAgentView(agent: Agent, profile: Profile) {
  return {
    id: agent.id,
    did: agent.did,
    did_method: agent.didMethod,
    display_name: agent.name,
    principal_id: agent.principalId,
    status: agent.status,
    trust_level: agent.trustLevel,
    capabilities: agent.capabilities,
    total_transactions: profile?.totalTransactions ?? 0,
    decline_rate: profile?.declineRate ?? 0,
    created_at: agent.createdAt,
  };
}

export function agentStatusView(agent: Agent) {
  return {
    id: agent.id,
    status: agent.status,
    trust_level: agent.trustLevel,
    display_name: agent.name,
  };
}
