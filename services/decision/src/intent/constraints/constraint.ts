import { type Disclosures, disclosedList } from '../disclosures.js';
import type { Examination } from '../examination.js';
import type { FinalPayment } from '../final-payment.js';
import type { Findings, IntentCode } from '../findings.js';
import { isObject, isText, type JsonObject } from '../json-object.js';
import type { Mandate } from '../mandates.js';

/** One limit that the user has set. */
export interface Constraint {
  /** By the names of the reference code. */
  type: string;
  body: JsonObject;
}

/** What the limits are checked against. */
export interface Fulfilled {
  payment: FinalPayment;
  /** The checkout, where the agent presented it. */
  checkout: { merchant: JsonObject; lineItems: unknown } | null;
  /** Of L2, in all views of it. */
  disclosures: Disclosures;
  /** All limits of the same mandate. */
  constraints: readonly Constraint[];
  examination: Examination;
}

export interface Problem {
  code: IntentCode;
  detail: string;
}

/** Null where the limit is kept. One that is not well-formed cannot be. */
export type Judge = (body: JsonObject, fulfilled: Fulfilled) => Problem | null;

export function violated(detail: string): Problem {
  return { code: 'VI_CONSTRAINT_VIOLATED', detail };
}

/** The names that the text of the specification has for the same. */
const aliases: ReadonlyMap<string, string> = new Map([
  ['mandate.checkout.allowed_merchant', 'mandate.checkout.allowed_merchants'],
  ['payment.allowed_payee', 'mandate.payment.allowed_payees'],
  ['payment.amount', 'mandate.payment.amount_range'],
  ['payment.budget', 'mandate.payment.budget'],
  ['payment.recurrence', 'mandate.payment.recurrence'],
  ['payment.agent_recurrence', 'mandate.payment.agent_recurrence'],
  ['payment.reference', 'mandate.payment.reference'],
]);

/** The limits of an open mandate. There must be at least one, and all have to be disclosed. */
export function readConstraints(
  { body, subject }: Mandate,
  disclosures: Disclosures,
  findings: Findings,
): Constraint[] {
  const list = body.constraints;
  if (!Array.isArray(list) || list.length === 0) {
    const detail = `the open ${subject} mandate needs at least one constraint`;
    findings.add('VI_BINDING_INVALID', detail);
    return [];
  }
  const { entries, withheld } = disclosedList(list, disclosures);
  const detail = `the open ${subject} mandate keeps a constraint back; disclose all of them`;
  findings.expect(withheld === 0, 'VI_DISCLOSURE_INCOMPLETE', detail);
  return entries.flatMap((entry) => {
    if (isObject(entry) && isText(entry.type)) {
      return [{ type: aliases.get(entry.type) ?? entry.type, body: entry }];
    }
    findings.add('VI_CHAIN_MALFORMED', 'a constraint needs a type');
    return [];
  });
}
