import { isRecord } from '@countersign/kernel/is-record';
import { isSameOnChain } from './caip.js';
import type { Findings } from './findings.js';
import { isCount, isOptionalText, isText, type JsonObject } from './json-object.js';

/** A payment mandate with all its values fixed. */
export interface FinalPayment {
  /** Digest of the checkout; unrelated to the transaction ids of this service. */
  transactionId: string;
  currency: string;
  /** In minor units. */
  amount: number;
  payee: JsonObject;
  instrument: Instrument;
}

/** The payment instrument. Other members depend on the type. */
interface Instrument extends JsonObject {
  type: string;
  id: string;
}

export function readFinalPayment(body: JsonObject, findings: Findings): FinalPayment | null {
  const payment = read(body);
  const detail = 'the signed payment mandate needs a payee, payment_amount and payment_instrument';
  findings.expect(payment !== null, 'VI_CHAIN_MALFORMED', detail);
  return payment;
}

function read(body: JsonObject): FinalPayment | null {
  const { transaction_id: transactionId, payee, payment_instrument: instrument } = body;
  // The specification has these members at the top level of a mandate that the user signed.
  const paid = 'payment_amount' in body ? body.payment_amount : body;
  if (!isText(transactionId) || !isInstrument(instrument) || !isPayee(payee)) return null;
  if (!isRecord(paid) || !isText(paid.currency, 3) || !isCount(paid.amount)) return null;
  return { transactionId, currency: paid.currency, amount: paid.amount, payee, instrument };
}

function isInstrument(value: unknown): value is Instrument {
  return isRecord(value) && isText(value.type) && isText(value.id);
}

/** An unreadable id must not leave the payee to be found by its name. */
function isPayee(value: unknown): value is JsonObject {
  if (!isRecord(value) || !isOptionalText(value.id)) return false;
  return isText(value.id) || isText(value.name);
}

/** Payee address and asset are compared only if the user's mandate fixes them. */
export function isSameInstrument(open: unknown, final: Instrument): boolean {
  if (!isInstrument(open) || open.type !== final.type) return false;
  // Only of this type the id is an account; any other is an opaque text.
  const isSameId = open.type === 'crypto' ? isSameOnChain(open.id, final.id) : open.id === final.id;
  return (
    isSameId &&
    ['payee_address', 'asset'].every(
      (name) => !(name in open) || isSameOnChain(open[name], final[name]),
    )
  );
}
