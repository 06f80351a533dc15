import { nextTrustLevel, promotionTo, type ResolvedThresholds } from '@countersign/kernel/trust';
import type { AgentProfile } from '@countersign/proto/decision';
import type { Agent } from '@countersign/proto/identity';

interface Measured {
  agent: Agent;
  profile: AgentProfile | undefined;
  thresholds: ResolvedThresholds;
  nowMs: number;
}

/** What an agent has done and how far it is from the next trust level. */
export function agentMetricsView({ agent, profile, thresholds, nowMs }: Measured) {
  const next = nextTrustLevel(agent.trustLevel);
  const standing = {
    successfulTransactions: profile?.successfulTransactions ?? 0,
    createdAt: Date.parse(agent.createdAt),
    now: nowMs,
    declineRate: profile?.declineRate ?? 0,
    disputeDeflectionRate: profile?.disputeDeflectionRate ?? 1,
    kyaScore: profile?.kyaScore,
  };
  const { criteria, eligible } = promotionTo(next ?? 'TRUSTED', standing, thresholds);
  return {
    agent_id: agent.id,
    trust_level: agent.trustLevel,
    total_transactions: profile?.totalTransactions ?? 0,
    successful_transactions: standing.successfulTransactions,
    declined_transactions: profile?.declinedTransactions ?? 0,
    decline_rate: standing.declineRate,
    dispute_deflection_rate: standing.disputeDeflectionRate,
    trust_promotion_eligible: next !== null && eligible,
    next_trust_level: next,
    promotion_criteria: {
      successful_transactions: criteria.successfulTransactions,
      account_age_hours: criteria.accountAgeHours,
      decline_rate: criteria.declineRate,
      dispute_deflection_rate: criteria.disputeDeflectionRate,
    },
  };
}
