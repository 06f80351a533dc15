import type { Entry, Explanation } from './api/shapes.js';

/** What the service finds when it judges the facts of a decision anew, by its rules of today. */
export type JudgedAnew =
  | { state: 'never' | 'same' | 'facts-changed' }
  | { state: 'otherwise'; once: readonly string[]; today: readonly string[] };

/**
 * A release may change a rule, and a decision stands as it was made: judged otherwise today it is
 * still intact. Facts that are no longer those which were judged are another matter.
 */
export function judgedAnew(entry: Entry, explanation: Explanation): JudgedAnew {
  const { reproduced, facts_intact: isIntact, reason_codes: today = [] } = explanation;
  if (reproduced === undefined) return { state: 'never' };
  if (isIntact === false) return { state: 'facts-changed' };
  if (reproduced) return { state: 'same' };
  // What was judged is the first decision: a human may have answered since.
  const once = entry.decision_history[0]?.reason_codes ?? entry.reason_codes;
  return { state: 'otherwise', once, today };
}
