import type { FinalPayment } from './final-payment.js';
import type { Terms } from './terms.js';

/** What a chain authorizes, in either mode. */
export interface Agreement {
  payment: FinalPayment | null;
  /** Digest of the disclosure of the payment mandate in L2. */
  paymentDigest: string;
  /** The signer of the payment: the user, or the agent. */
  signerThumbprint: string;
  nonce: string | null;
  /** Epoch seconds at which the credential with the nonce expires. */
  nonceExpiresAt: number | null;
  terms: Terms;
}
