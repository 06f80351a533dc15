import type { Agreement } from './agreement.js';
import type { Examination } from './examination.js';
import { readFinalPayment } from './final-payment.js';
import type { Root } from './layers/l1.js';
import type { Grant } from './layers/l2.js';
import type { Mandate } from './mandates.js';
import { examineAgreedPair, onlyMandate } from './pairing.js';
import type { IntentChain } from './shape.js';

/** Immediate mode: the user signed the payment itself, so there must be nothing from an agent. */
export function examineImmediate(
  grant: Grant,
  root: Root,
  examination: Examination & { chain: IntentChain },
): Agreement | null {
  const { chain, findings } = examination;
  const { delegated, nonce, expiresAt } = grant;
  const alone = [chain.l3Payment, chain.l3Checkout, chain.l2Checkout].every(
    (credential) => credential === undefined,
  );
  const detail = 'l2 has final mandates and delegates nothing: send neither l3 nor l2_checkout';
  findings.expect(alone, 'VI_BINDING_INVALID', detail);
  const final = [grant.credential.payload, ...delegated.mandates.map(bodyOf)].every(
    (part) => !('cnf' in part || 'constraints' in part),
  );
  const open = 'l2 with final mandates must have neither cnf nor constraints';
  findings.expect(final, 'VI_BINDING_INVALID', open);
  const checkout = onlyMandate(delegated, 'checkout', findings);
  const mandate = onlyMandate(delegated, 'payment', findings);
  if (!mandate) return null;
  if (checkout) examineAgreedPair(checkout, mandate, findings);
  return {
    payment: readFinalPayment(mandate.body, findings),
    paymentDigest: mandate.digest,
    signerThumbprint: root.userKey.thumbprint,
    nonce,
    nonceExpiresAt: expiresAt,
    terms: { maxOccurrences: null, budgetMinor: null },
  };
}

function bodyOf({ body }: Mandate): Mandate['body'] {
  return body;
}
