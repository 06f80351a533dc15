import type { Findings } from './findings.js';
import { isCount, isObject, isText, type JsonObject } from './json-object.js';

/** A payment mandate with all its values fixed. */
export interface FinalPayment {
  /** The digest of the checkout; not a transaction of this service. */
  transactionId: string;
  currency: string;
  /** In minor units. */
  amount: number;
  payee: JsonObject;
  instrument: Instrument;
}

/** What is paid with; other members are for those who know the type. */
export interface Instrument extends JsonObject {
  type: string;
  id: string;
}

/** Null where something of it cannot be read. */
export function readFinalPayment(body: JsonObject, findings: Findings): FinalPayment | null {
  const payment = read(body);
  const detail = 'the signed payment mandate needs a payee, payment_amount and payment_instrument';
  findings.expect(payment !== null, 'VI_CHAIN_MALFORMED', detail);
  return payment;
}

function read(body: JsonObject): FinalPayment | null {
  const { transaction_id: transactionId, payee, payment_instrument: instrument } = body;
  // At the top of the mandate in the text of the specification, for payments a user signed.
  const paid = 'payment_amount' in body ? body.payment_amount : body;
  if (!isText(transactionId) || !isInstrument(instrument) || !isPayee(payee)) return null;
  if (!isObject(paid) || !isText(paid.currency, 3) || !isCount(paid.amount)) return null;
  return { transactionId, currency: paid.currency, amount: paid.amount, payee, instrument };
}

export function isInstrument(value: unknown): value is Instrument {
  return isObject(value) && isText(value.type) && isText(value.id);
}

function isPayee(value: unknown): value is JsonObject {
  return isObject(value) && (isText(value.id) || isText(value.name));
}

/**
 * Whether the agent kept to the instrument of the mandate, with its payee and asset if it has any.
 */
export function isSameInstrument(open: unknown, final: Instrument): boolean {
  if (!isInstrument(open) || open.id !== final.id || open.type !== final.type) return false;
  return ['payee_address', 'asset'].every((name) => !(name in open) || open[name] === final[name]);
}
