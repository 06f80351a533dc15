import type { PaymentFacts } from './facts-shape.js';

/** What ties this payment to the caller's own books. */
export function correlationKey(payment: PaymentFacts): string {
  return payment.clientReference ?? payment.transactionId;
}
