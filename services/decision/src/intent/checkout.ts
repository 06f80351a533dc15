import { isRecord } from '@countersign/kernel/is-record';
import { readStrictJson } from '@countersign/kernel/strict-json';
import { base64urlText } from './base64url.js';
import { readConstraints } from './constraints/constraint.js';
import { examineConstraints } from './constraints/judges.js';
import { type AgentKey, delegatedKey } from './delegated-key.js';
import type { Disclosures } from './disclosures.js';
import type { Examination } from './examination.js';
import type { FinalPayment } from './final-payment.js';
import type { JsonObject } from './json-object.js';
import type { Grant } from './layers/l2.js';
import { examineL3 } from './layers/l3.js';
import { delegatedMandates, type Mandate } from './mandates.js';
import { isHashOfCheckout, onlyMandate } from './pairing.js';
import type { Parts } from './parts.js';

interface PresentedCheckout {
  credentials: NonNullable<Parts['checkout']>;
  grant: Grant;
  agentKey: AgentKey;
  /** The checkout mandate that the payment mandate refers to. */
  digest: string | null;
  payment: FinalPayment | null;
}

/**
 * Larger than for credentials, because a cart is the merchant's own format. Its numbers may be
 * fractions, since prices in it are not compared.
 */
const cartBounds = { maxDepth: 32, maxKeys: 1_000 };

/** The checkout mandate says what may be bought. Presenting it is optional for the agent. */
export function examineCheckout(shown: PresentedCheckout, examination: Examination): void {
  const { credentials, grant, agentKey } = shown;
  const { findings } = examination;
  const same = credentials.l2.jwt === grant.credential.jwt;
  const other = 'l2_checkout must be the same credential as l2, with other disclosures';
  if (!findings.expect(same, 'VI_BINDING_INVALID', other)) return;
  const mandate = readOpenCheckout(shown, examination);
  const layer = 'l3_checkout';
  const presented = { layer, credential: credentials.l3, view: credentials.l2, agentKey, grant };
  const l3 = examineL3({ ...presented, subject: 'checkout' }, examination);
  if (!mandate || !l3?.mandate) return;
  const { body } = l3.mandate;
  const hashed = isHashOfCheckout(body, shown.payment?.transactionId);
  const detail = 'checkout_hash must be the hash of checkout_jwt and the transaction_id paid for';
  findings.expect(hashed, 'VI_BINDING_INVALID', detail);
  const { payment } = shown;
  if (hashed && payment) examineLimits(mandate, { ...shown, payment, body }, examination);
}

function readOpenCheckout(shown: PresentedCheckout, examination: Examination): Mandate | null {
  const { findings } = examination;
  const delegated = delegatedMandates(shown.credentials.l2, 'l2_checkout', findings);
  const mandate = delegated && onlyMandate(delegated, 'checkout', findings);
  if (!mandate) return null;
  const paired = mandate.open && mandate.digest === shown.digest;
  const detail =
    'l2_checkout must disclose the checkout mandate that the payment mandate refers to';
  findings.expect(paired, 'VI_BINDING_INVALID', detail);
  const key = delegatedKey([mandate], examination);
  const one = key?.key.thumbprint === shown.agentKey.key.thumbprint;
  findings.expect(one, 'VI_BINDING_INVALID', 'the mandates of l2 delegate to different keys');
  return mandate;
}

function examineLimits(
  mandate: Mandate,
  shown: PresentedCheckout & { payment: FinalPayment; body: JsonObject },
  examination: Examination,
): void {
  const { credentials, grant, payment, body } = shown;
  const disclosures: Disclosures = new Map([
    ...grant.credential.disclosures,
    ...credentials.l2.disclosures,
  ]);
  const constraints = readConstraints(mandate, disclosures, examination.findings);
  const checkout = { merchant: readMerchant(body.checkout_jwt), lineItems: body.line_items };
  const fulfilled = { payment, openInstrument: null, checkout, disclosures, examination };
  examineConstraints('checkout', { ...fulfilled, constraints });
}

/**
 * The specification defines nothing of the merchant's JWT but an optional `id` of the merchant.
 */
function readMerchant(checkoutJwt: unknown): JsonObject {
  const [, payload = ''] = typeof checkoutJwt === 'string' ? checkoutJwt.split('.', 2) : [];
  const text = base64urlText(payload);
  const cart = text === null ? undefined : readStrictJson(text, cartBounds)?.value;
  return isRecord(cart) ? cart : {};
}
