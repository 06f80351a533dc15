export interface MandateKind {
  subject: 'checkout' | 'payment';
  /** An open mandate sets limits for an agent; a final one states what was agreed. */
  open: boolean;
}

/**
 * The reference implementation (`….1`) and the specification use different names; both are
 * accepted.
 */
const kinds: ReadonlyMap<unknown, MandateKind> = new Map<unknown, MandateKind>([
  ['mandate.checkout.open.1', { subject: 'checkout', open: true }],
  ['mandate.checkout.open', { subject: 'checkout', open: true }],
  ['mandate.checkout.1', { subject: 'checkout', open: false }],
  ['mandate.checkout', { subject: 'checkout', open: false }],
  ['mandate.payment.open.1', { subject: 'payment', open: true }],
  ['mandate.payment.open', { subject: 'payment', open: true }],
  ['mandate.payment.1', { subject: 'payment', open: false }],
  ['mandate.payment', { subject: 'payment', open: false }],
]);

export function mandateKindOf(vct: unknown): MandateKind | undefined {
  return kinds.get(vct);
}
