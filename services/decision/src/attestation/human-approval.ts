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
 * The approval that follows a confirmed challenge. Scores and mandate are those of the record: the
 * human changes only the decision. `at` is in epoch milliseconds.
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
