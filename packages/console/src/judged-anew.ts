import type { Entry, Explanation } from './api/shapes.js';

/** Result of the re-evaluation of a decision's facts under today's rules. */
export type JudgedAnew =
  | { state: 'never' | 'same' | 'facts-changed' }
  | { state: 'otherwise'; once: readonly string[]; today: readonly string[] };

/**
 * A release may change a rule while a decision stands: a different result today does not make it
 * invalid. Facts that differ from those originally evaluated do.
 */
export function judgedAnew(entry: Entry, explanation: Explanation): JudgedAnew {
  const { reproduced, facts_intact: isIntact, reason_codes: today = [] } = explanation;
  if (reproduced === undefined) return { state: 'never' };
  if (isIntact === false) return { state: 'facts-changed' };
  if (reproduced) return { state: 'same' };
  // The first decision is what was evaluated; a human may have answered since.
  const once = entry.decision_history[0]?.reason_codes ?? entry.reason_codes;
  return { state: 'otherwise', once, today };
}
