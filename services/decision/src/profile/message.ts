import type { AgentProfile } from '@countersign/proto/decision';
import { roundScore } from '../scores/rounding.js';
import type { ProfileState } from './state.js';

const deflected = ['DISPUTE_RESOLVED', 'PRINCIPAL_CONFIRMED_LEGITIMATE', 'FALSE_POSITIVE_REPORTED'];
const disputed = [
  'CHARGEBACK',
  'CONFIRMED_FRAUD',
  'PRINCIPAL_CONFIRMED_UNAUTHORIZED',
  'MERCHANT_COMPLAINT',
];

/** The public part of a profile; all zero and unscored before the first decision. */
export function profileMessage(agentId: string, state: ProfileState | null): AgentProfile {
  const { total, approved, declined, successful } = state?.totals ?? {
    total: 0,
    approved: 0,
    declined: 0,
    successful: 0,
  };
  const answered = approved + declined;
  const score = state && publishedScore(state);
  return {
    agentId,
    ...(score !== null && { kyaScore: score }),
    totalTransactions: total,
    declinedTransactions: declined,
    successfulTransactions: successful,
    declineRate: answered > 0 ? declined / answered : 0,
    disputeDeflectionRate: deflectionRate(state?.outcomeCounts ?? {}),
  };
}

/** The score as it is published, rounded; null before the first decision. */
export function publishedScore({ score }: ProfileState): number | null {
  return score && roundScore(score.value);
}

/** 1 when there was no dispute to deflect. */
function deflectionRate(counts: Record<string, number>): number {
  const sum = (types: string[]): number => types.reduce((s, type) => s + (counts[type] ?? 0), 0);
  const good = sum(deflected);
  const all = good + sum(disputed);
  return all > 0 ? good / all : 1;
}
