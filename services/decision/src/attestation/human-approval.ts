import { evaluate } from '../evaluate.js';
import type { Facts } from '../facts-shape.js';
import type { Statement } from './claims.js';

/** A challenge that a human is about to confirm. */
export interface HumanApproval {
  /** As they are on record. */
  facts: Facts;
  principalId: string;
  /** Whether the challenge itself was attested. */
  attested: boolean;
}

/**
 * The approval that follows the challenge. Scores and mandate stay those of the record, as in the
 * log: the human changes the decision alone. `at` is epoch milliseconds.
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
