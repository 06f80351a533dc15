import type { PaymentFacts } from './facts/shape.js';

/** The caller's own reference of the payment, by which it reconciles its records. */
export function correlationKey(payment: PaymentFacts): string {
  return payment.clientReference ?? payment.transactionId;
}
