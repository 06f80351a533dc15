import { inReasonOrder, reasons } from '@countersign/kernel/reason';
import type { Finding, Rule } from './rule.js';

/** Details for the codes that the ledger reports about the state of a chain. */
const stateDetails: ReadonlyMap<string, string> = new Map([
  ['VI_NONCE_REPLAY', 'this presentation of the intent was used before, make a new one'],
  [
    'VI_SUBJECT_MISMATCH',
    'the user of the intent is not bound to this principal, present one of its own user',
  ],
  ['VI_MANDATE_CONSUMED', 'the intent mandate is good for one payment and has been used'],
  [
    'VI_BUDGET_EXCEEDED',
    'the amount and what was spent under the intent mandate exceed its budget, ask for less',
  ],
  ['VI_OCCURRENCES_EXCEEDED', 'the intent mandate has been used as often as the user allowed'],
]);

/** No rule requires a chain yet. */
const reserved = 'VI_REQUIRED';

/**
 * The problems of a presented vi_chain. A chain that verifies does not override other rules.
 */
export const verifiableIntent: Rule = {
  name: 'verifiable-intent',
  codes: reasons
    .filter(({ category, code }) => category === 'verifiable_intent' && code !== reserved)
    .map(({ code }) => code),
  check: ({ facts: { intent, intentState = [] } }) => {
    if (!intent || (intent.codes.length === 0 && intentState.length === 0)) return [];
    const details = new Map(stateDetails);
    for (const [index, code] of intent.codes.entries()) {
      details.set(code, intent.details[index] ?? '');
    }
    return inReasonOrder([...intent.codes, ...intentState]).map(
      (code): Finding => ({
        code,
        detail: details.get(code) ?? 'the verifiable intent cannot be used for this payment',
      }),
    );
  },
};
