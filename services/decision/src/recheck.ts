import { reasonByCode } from '@countersign/kernel/reason';
import { evaluate } from './evaluate.js';
import type { Facts, MandateFacts } from './facts/shape.js';
import { chosenMandate } from './mandate-choice.js';
import { effectOf, type Finding } from './rules/rule.js';

/** Declines that a human cannot override. Trust and risk are why the human was asked. */
const recheckedCategories = new Set(['identity', 'mandate', 'merchant', 'crypto', 'limits']);

/**
 * The declines that remain in force even if a human confirms a payment that was evaluated under
 * this mandate. A newer mandate does not help: limits are not merged, and the challenge is not
 * moved to a mandate under which nobody was asked.
 */
export function standingRefusals(facts: Facts, mandateId: string): Finding[] {
  const used = chosenMandate(facts);
  if (used === null || used.id === mandateId) return refusals(facts);
  const why = replaced(mandateId, used);
  return refusals({ ...facts, mandates: [] }).map((finding) =>
    finding.code === why.code ? why : finding,
  );
}

function refusals(facts: Facts): Finding[] {
  return evaluate(facts).findings.filter(
    ({ code, effect }) =>
      (effect ?? effectOf(code)) === 'DECLINE' &&
      recheckedCategories.has(reasonByCode(code)?.category ?? ''),
  );
}

/**
 * A mandate with lower limits applies from its creation on, also to challenges that are still
 * open.
 */
function replaced(mandateId: string, used: MandateFacts): Finding {
  const detail =
    `the mandate ${mandateId} of this challenge has been replaced by ${used.id},` +
    ' request the payment again';
  return { code: 'NO_ACTIVE_MANDATE', detail };
}
