import type { MandateFacts, PaymentFacts } from '../facts/shape.js';
import type { Finding, Rule } from './rule.js';
import { notAllowed, oneOf, quoted } from './wording.js';

/** A property of a payment that a mandate can restrict by an allow-list and a block-list. */
interface ListedProperty {
  name: string;
  codes: readonly [required: string, notAllowed: string, blocked: string];
  /** The public name of the field, and what it is in words. */
  field: string;
  noun: string;
  given: (payment: PaymentFacts) => string | null;
  allowed: (mandate: MandateFacts) => readonly string[];
  blocked: (mandate: MandateFacts) => readonly string[];
}

/**
 * With an allow-list the property is required; with only a block-list it is not: a missing value is
 * not on the block-list, but not on the allow-list either.
 */
export function listRule(property: ListedProperty): Rule {
  const { name, codes } = property;
  return {
    name,
    codes,
    check: ({ payment, mandate }) => (mandate ? checkLists(property, payment, mandate) : []),
  };
}

function checkLists(
  { codes, field, noun, given, allowed, blocked }: ListedProperty,
  payment: PaymentFacts,
  mandate: MandateFacts,
): Finding[] {
  const [required, isUnlisted, isBlocked] = codes;
  const choices = allowed(mandate);
  const barred = blocked(mandate);
  // Only these would pass: a list may allow what the other one blocks.
  const passing = (): string[] => choices.filter((choice) => !barred.includes(choice));
  const value = given(payment);
  if (value === null) {
    if (choices.length === 0) return [];
    const open = passing();
    const detail =
      open.length === 0
        ? `the mandate allows no ${noun} that it does not block too`
        : `the mandate allows only ${noun} ${oneOf(open)}, send that of the merchant as ${field}`;
    return [{ code: required, detail }];
  }
  const findings: Finding[] = [];
  if (choices.length > 0 && !choices.includes(value)) {
    findings.push({ code: isUnlisted, detail: notAllowed(noun, value, passing()) });
  }
  if (barred.includes(value)) {
    const detail = `${noun} ${quoted(value)} is blocked by the mandate, pay elsewhere`;
    findings.push({ code: isBlocked, detail });
  }
  return findings;
}
