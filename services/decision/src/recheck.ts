import { reasonByCode } from '@countersign/kernel/reason';
import { evaluate } from './evaluate.js';
import type { Facts } from './facts-shape.js';
import { effectOf, type Finding } from './rules/rule.js';

/** What a human cannot overrule. Trust and risk asked for the human in the first place. */
const recheckedCategories = new Set(['identity', 'mandate', 'merchant', 'crypto', 'limits']);

/** The refusals that hold even though a human says yes. */
export function standingRefusals(facts: Facts): Finding[] {
  return evaluate(facts).findings.filter(
    ({ code, effect }) =>
      (effect ?? effectOf(code)) === 'DECLINE' &&
      recheckedCategories.has(reasonByCode(code)?.category ?? ''),
  );
}
