import { digestOf } from './base64url.js';
import type { Constraint } from './constraints/constraint.js';
import type { Findings } from './findings.js';
import { isText } from './json-object.js';
import type { Delegated, Mandate } from './mandates.js';

/** The only mandate of a subject: a presentation has exactly one pair of payment and checkout. */
export function onlyMandate(
  { mandates }: Delegated,
  subject: Mandate['subject'],
  findings: Findings,
): Mandate | null {
  const [mandate, ...others] = mandates.filter((each) => each.subject === subject);
  if (!mandate) {
    const detail = `l2 does not disclose its ${subject} mandate`;
    findings.add('VI_DISCLOSURE_INCOMPLETE', detail);
    return null;
  }
  const detail = `l2 discloses more than one ${subject} mandate; present one pair`;
  const only = findings.expect(others.length === 0, 'VI_BINDING_INVALID', detail);
  return only ? mandate : null;
}

/** Immediate mode: the payment must be for exactly the checkout that the merchant signed. */
export function examineAgreedPair(checkout: Mandate, payment: Mandate, findings: Findings): void {
  const hashed = isHashOfCheckout(checkout.body, payment.body.transaction_id);
  const detail = 'checkout_hash, transaction_id and the hash of checkout_jwt must be the same';
  findings.expect(hashed, 'VI_BINDING_INVALID', detail);
}

export function isHashOfCheckout(checkout: Mandate['body'], transactionId: unknown): boolean {
  const { checkout_jwt: jwt, checkout_hash: checkoutHash } = checkout;
  if (!isText(jwt, 16_384) || checkoutHash !== transactionId) return false;
  return checkoutHash === digestOf(jwt);
}

/**
 * The digest of the checkout mandate that an open payment mandate refers to. The same L2 must
 * delegate it, disclosed or not, and a disclosed checkout mandate must be that one.
 */
export function pairedCheckout(
  { mandates, digests }: Delegated,
  constraints: readonly Constraint[],
  findings: Findings,
): string | null {
  const [reference, ...others] = constraints
    .filter(({ type }) => type === 'mandate.payment.reference')
    .map(({ body }) => body.conditional_transaction_id);
  const isDelegated = typeof reference === 'string' && digests.has(reference);
  if (!isDelegated || others.length > 0) {
    const detail = 'the payment mandate needs one reference to a checkout mandate of the same l2';
    findings.add('VI_BINDING_INVALID', detail);
    return null;
  }
  const strays = mandates.filter(({ subject, digest }) => {
    return subject === 'checkout' && digest !== reference;
  });
  const orphan = 'l2 discloses a checkout mandate that the payment mandate does not refer to';
  findings.expect(strays.length === 0, 'VI_BINDING_INVALID', orphan);
  return reference;
}
