import type { Entry, Explanation } from './api/shapes.js';

/** Result of the re-evaluation of a decision's facts under today's rules. */
export type JudgedAnew =
  | { state: 'never' | 'same' | 'facts-changed' }
  | { state: 'otherwise' | 'unexplained'; once: readonly string[]; today: readonly string[] };

/**
 * A release may change a rule while a decision stands: a different result today does not make it
 * invalid. Facts that differ from those originally evaluated do, and so does a different result
 * of the rules that the decision was made by.
 */
export function judgedAnew(entry: Entry, explanation: Explanation): JudgedAnew {
  const { reproduced, facts_intact: isIntact, reason_codes: today = [] } = explanation;
  const isSamePolicy = explanation.evaluated_with?.policy_hash === explanation.policy_hash;
  if (reproduced === undefined) return { state: 'never' };
  if (isIntact === false) return { state: 'facts-changed' };
  if (reproduced) return { state: 'same' };
  // The first decision is what was evaluated; a human may have answered since.
  const once = entry.decision_history[0]?.reason_codes ?? entry.reason_codes;
  return { state: isSamePolicy ? 'unexplained' : 'otherwise', once, today };
}
