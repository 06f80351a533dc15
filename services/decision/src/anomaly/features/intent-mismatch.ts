import type { PaymentFacts } from '../../facts/shape.js';
import type { Feature } from './feature.js';

/** The capabilities that fit an intent. Any other intent is free text and is not checked. */
const servedBy: ReadonlyMap<string, readonly string[]> = new Map([
  ['PURCHASE', ['PURCHASE', 'SUBSCRIPTION']],
  ['SUBSCRIPTION', ['SUBSCRIPTION', 'PURCHASE']],
  ['REFUND_REQUEST', ['REFUND_REQUEST']],
  ['TRANSFER', ['TRANSFER']],
  ['BALANCE_INQUIRY', []],
]);
/**
 * An `approve` grants a spender an allowance, which pays for a purchase or a subscription; it
 * neither transfers nor requests anything.
 */
const mayApprove = ['PURCHASE', 'SUBSCRIPTION'];

export const intentMismatch: Feature = {
  name: 'INTENT_MISMATCH',
  meaning: '`intent_type` contradicts capability, operation or recurrence',
  weight: 0.45,
  strength: ({ payment }) => (contradictsIntent(payment) || lacksOriginal(payment) ? 1 : 0),
};

function contradictsIntent({ intentContext, capability, crypto }: PaymentFacts): boolean {
  const intent = intentContext.intentType?.trim().toUpperCase() ?? '';
  const capabilities = servedBy.get(intent);
  if (!capabilities) return false;
  // An inquiry spends nothing, but every payment has an amount.
  if (capabilities.length === 0) return true;
  if (crypto?.operation === 'approve' && !mayApprove.includes(intent)) return true;
  if (capability === null || capabilities.includes(capability)) return false;
  // A purchase on a chain is paid by a transfer.
  return !(crypto && capability === 'TRANSFER' && intent !== 'REFUND_REQUEST');
}

/** Every payment of a series but the first must name the authorization it recurs from. */
function lacksOriginal({ intentContext }: PaymentFacts): boolean {
  const { recurrenceNumber, originalAuthorizationId } = intentContext;
  return (recurrenceNumber ?? 0) > 1 && originalAuthorizationId === null;
}
