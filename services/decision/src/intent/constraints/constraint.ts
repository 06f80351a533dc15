import { isRecord } from '@countersign/kernel/is-record';
import { type Disclosures, disclosedList } from '../disclosures.js';
import type { Examination } from '../examination.js';
import type { FinalPayment } from '../final-payment.js';
import type { Findings, IntentCode } from '../findings.js';
import { isText, type JsonObject } from '../json-object.js';
import type { Mandate } from '../mandates.js';

export interface Constraint {
  /** The name that the reference implementation uses. */
  type: string;
  body: JsonObject;
}

/** What the constraints are checked against. */
export interface Fulfilled {
  payment: FinalPayment;
  /** Null if the agent did not present the checkout. */
  checkout: { merchant: JsonObject; lineItems: unknown } | null;
  /** The payment_instrument that the user signed; null for the constraints of a checkout. */
  openInstrument: unknown;
  /** The disclosures of all presentations of L2. */
  disclosures: Disclosures;
  /** All constraints of the same mandate. */
  constraints: readonly Constraint[];
  examination: Examination;
}

export interface Problem {
  code: IntentCode;
  detail: string;
}

/** Null if the constraint is satisfied. A malformed one counts as violated. */
export type Judge = (body: JsonObject, fulfilled: Fulfilled) => Problem | null;

export function violated(detail: string): Problem {
  return { code: 'VI_CONSTRAINT_VIOLATED', detail };
}

/** Names in the specification to those of the reference implementation. */
const aliases: ReadonlyMap<string, string> = new Map([
  ['mandate.checkout.allowed_merchant', 'mandate.checkout.allowed_merchants'],
  ['payment.allowed_payee', 'mandate.payment.allowed_payees'],
  ['payment.amount', 'mandate.payment.amount_range'],
  ['payment.budget', 'mandate.payment.budget'],
  ['payment.recurrence', 'mandate.payment.recurrence'],
  ['payment.agent_recurrence', 'mandate.payment.agent_recurrence'],
  ['payment.reference', 'mandate.payment.reference'],
]);

/** An open mandate without constraints would be a blank cheque, as would a withheld constraint. */
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
  const detail = `the open ${subject} mandate withholds a constraint; disclose all of them`;
  findings.expect(withheld === 0, 'VI_DISCLOSURE_INCOMPLETE', detail);
  return entries.flatMap((entry) => {
    if (isRecord(entry) && isText(entry.type)) {
      return [{ type: aliases.get(entry.type) ?? entry.type, body: entry }];
    }
    findings.add('VI_CHAIN_MALFORMED', 'a constraint needs a type');
    return [];
  });
}
