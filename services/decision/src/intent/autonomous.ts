import type { Agreement } from './agreement.js';
import { examineCheckout } from './checkout.js';
import { type Constraint, readConstraints } from './constraints/constraint.js';
import { examineConstraints } from './constraints/judges.js';
import { delegatedKey, examineRegistration } from './delegated-key.js';
import type { Examination } from './examination.js';
import { type FinalPayment, isSameInstrument, readFinalPayment } from './final-payment.js';
import type { Grant } from './layers/l2.js';
import { examineL3 } from './layers/l3.js';
import type { Mandate } from './mandates.js';
import { onlyMandate, pairedCheckout } from './pairing.js';
import type { Parts } from './parts.js';
import { termsOf } from './terms.js';

/**
 * Autonomous mode: the user signed limits (L2), and the agent signed a payment within them (L3).
 */
export function examineAutonomous(
  grant: Grant,
  parts: Parts,
  examination: Examination,
): Agreement | null {
  const { findings } = examination;
  const mandate = onlyMandate(grant.delegated, 'payment', findings);
  const agentKey = delegatedKey(grant.delegated.mandates, examination);
  if (agentKey) examineRegistration(agentKey, examination);
  const l3 = parts.l3Payment;
  const asked = "l2 delegates the payment to the agent: send the agent's credential as l3_payment";
  findings.expect(l3 !== null, 'VI_DISCLOSURE_INCOMPLETE', asked);
  if (!mandate || !agentKey || !l3) return null;
  const presented = { credential: l3, view: grant.credential, agentKey, grant };
  const fulfilment = examineL3(
    { ...presented, layer: 'l3_payment', subject: 'payment' },
    examination,
  );
  if (!fulfilment) return null;
  examineAudience(l3.payload.aud, examination);
  const { mandate: final } = fulfilment;
  const payment = final && readFinalPayment(final.body, findings);
  const constraints = readConstraints(mandate, grant.credential.disclosures, findings);
  const digest = pairedCheckout(grant.delegated, constraints, findings);
  if (payment) examineLimits({ mandate, constraints, payment, grant }, examination);
  const { checkout: credentials } = parts;
  if (credentials) examineCheckout({ credentials, grant, agentKey, digest, payment }, examination);
  return {
    payment,
    paymentDigest: mandate.digest,
    signerThumbprint: agentKey.key.thumbprint,
    nonce: fulfilment.nonce,
    nonceExpiresAt: fulfilment.expiresAt,
    terms: termsOf(constraints),
  };
}

function examineAudience(aud: unknown, { surroundings, findings }: Examination): void {
  const ours = typeof aud === 'string' && surroundings.audiences.includes(aud);
  findings.expect(ours, 'VI_AUDIENCE_MISMATCH', 'l3_payment is for another audience');
}

interface Limited {
  mandate: Mandate;
  constraints: Constraint[];
  payment: FinalPayment;
  grant: Grant;
}

function examineLimits(limited: Limited, examination: Examination): void {
  const { mandate, constraints, payment, grant } = limited;
  const { findings } = examination;
  const { payment_instrument: openInstrument } = mandate.body;
  const same = isSameInstrument(openInstrument, payment.instrument);
  const detail = 'the payment_instrument of l3_payment is not that of the payment mandate in l2';
  findings.expect(same, 'VI_BINDING_INVALID', detail);
  const { disclosures } = grant.credential;
  const fulfilled = { payment, openInstrument, checkout: null, disclosures, examination };
  examineConstraints('payment', { ...fulfilled, constraints });
  // A checkout mandate disclosed with the payment still limits the fields of the request itself.
  const checkout = grant.delegated.mandates.find(({ subject }) => subject === 'checkout');
  if (!checkout) return;
  const others = readConstraints(checkout, disclosures, findings);
  examineConstraints('checkout', { ...fulfilled, constraints: others });
}
