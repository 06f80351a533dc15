import { evaluate } from '../evaluate.js';
import type { Facts } from '../facts/shape.js';
import type { Statement } from './claims.js';

/** A challenge that a human is about to confirm. */
export interface HumanApproval {
  /** As recorded. */
  facts: Facts;
  principalId: string;
  /** Whether the challenge itself was attested. */
  attested: boolean;
}

/**
 * The approval that follows a confirmed challenge: the human changes only the decision. Scores are
 * computed from the recorded facts, which a hash protects, unlike the recorded scores; by another
 * release they may differ from these. `at` is in epoch milliseconds.
 */
export function approvedByHuman(
  { facts, principalId, attested }: HumanApproval,
  at: number,
): Statement {
  const { authorizationId } = facts.payment;
  return {
    facts,
    verdict: { ...evaluate(facts), decision: 'APPROVE', reasonCodes: ['STEP_UP_CONFIRMED'] },
    principalId,
    at,
    ...(attested && { prev: authorizationId }),
  };
}
