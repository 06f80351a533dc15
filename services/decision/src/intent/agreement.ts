import type { FinalPayment } from './final-payment.js';
import type { Terms } from './terms.js';

/** What a chain comes down to, in either mode. */
export interface Agreement {
  payment: FinalPayment | null;
  /** Of the disclosure of the payment mandate in L2. */
  paymentDigest: string;
  /** Whoever signed the payment: the user, or the agent. */
  signerThumbprint: string;
  nonce: string | null;
  /** Epoch seconds at which what the nonce is in ends. */
  nonceExpiresAt: number | null;
  terms: Terms;
}
