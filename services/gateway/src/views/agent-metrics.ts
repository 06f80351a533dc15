import type { AgentProfile } from '@countersign/proto/decision';
import type { Agent } from '@countersign/proto/identity';

/** Resolved thresholds by field name; amounts are text, everything else numbers. */
export type ResolvedThresholds = Record<string, number | string | null>;

interface Standing {
  agent: Agent;
  profile: AgentProfile | undefined;
  thresholds: ResolvedThresholds;
  nowMs: number;
}

const nextLevel: Record<string, 'VERIFIED' | 'TRUSTED' | undefined> = {
  REGISTERED: 'VERIFIED',
  VERIFIED: 'TRUSTED',
};

const hourMs = 3_600_000;

/** What an agent has done and how far it is from the next trust level. */
export function agentMetricsView(standing: Standing) {
  const { agent, profile } = standing;
  const next = nextLevel[agent.trustLevel] ?? null;
  const criteria = promotionCriteria(standing, next ?? 'TRUSTED');
  const met = Object.values(criteria).every((criterion) => criterion.met);
  return {
    agent_id: agent.id,
    trust_level: agent.trustLevel,
    total_transactions: profile?.totalTransactions ?? 0,
    successful_transactions: criteria.successful_transactions.actual,
    declined_transactions: profile?.declinedTransactions ?? 0,
    decline_rate: criteria.decline_rate.actual,
    dispute_deflection_rate: criteria.dispute_deflection_rate.actual,
    trust_promotion_eligible: next !== null && met && zoneAllows(standing, next),
    next_trust_level: next,
    promotion_criteria: criteria,
  };
}

function promotionCriteria(standing: Standing, level: 'VERIFIED' | 'TRUSTED') {
  const { agent, profile, thresholds, nowMs } = standing;
  const prefix = level.toLowerCase();
  const threshold = (name: string): number => Number(thresholds[`${prefix}_${name}`] ?? 0);
  const ageHours = Math.max(0, nowMs - Date.parse(agent.createdAt)) / hourMs;
  return {
    successful_transactions: atLeast(
      threshold('min_successful_txns'),
      profile?.successfulTransactions ?? 0,
    ),
    account_age_hours: atLeast(
      threshold('min_account_age_hours'),
      // Rounded down: an age shown as reached is reached.
      Math.floor(ageHours * 100) / 100,
    ),
    decline_rate: atMost(threshold('max_decline_rate'), profile?.declineRate ?? 0),
    dispute_deflection_rate: atLeast(
      threshold('min_dispute_deflection_rate'),
      profile?.disputeDeflectionRate ?? 1,
    ),
  };
}

function atLeast(required: number, actual: number) {
  return { required, actual, met: actual >= required };
}

function atMost(required: number, actual: number) {
  return { required, actual, met: actual <= required };
}

/** GREEN or AMBER suffices for VERIFIED, TRUSTED demands GREEN. */
function zoneAllows({ agent, profile, thresholds }: Standing, level: 'VERIFIED' | 'TRUSTED') {
  const score = profile?.kyaScore ?? agent.kyaScore;
  if (score === undefined) return false;
  const bound = level === 'TRUSTED' ? 'cts_green_threshold' : 'cts_amber_threshold';
  return score >= Number(thresholds[bound] ?? 1);
}
