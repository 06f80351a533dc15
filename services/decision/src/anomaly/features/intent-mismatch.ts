import type { PaymentFacts } from '../../facts-shape.js';
import type { Feature } from './feature.js';

/** The capabilities that serve an intent; of an intent of another name nothing is known. */
const servedBy: ReadonlyMap<string, readonly string[]> = new Map([
  ['PURCHASE', ['PURCHASE', 'SUBSCRIPTION']],
  ['SUBSCRIPTION', ['SUBSCRIPTION', 'PURCHASE']],
  ['REFUND_REQUEST', ['REFUND_REQUEST']],
  ['TRANSFER', ['TRANSFER']],
  ['BALANCE_INQUIRY', []],
]);
/** An allowance lets somebody draw what was bought or subscribed to; it moves and asks nothing. */
const mayApprove = ['PURCHASE', 'SUBSCRIPTION'];

/** What the agent says it does is not what it does. */
export const intentMismatch: Feature = {
  name: 'INTENT_MISMATCH',
  meaning: '`intent_type` contradicts capability, operation or recurrence',
  weight: 0.45,
  strength: ({ payment }) => (contradictsItself(payment) || recursFromNothing(payment) ? 1 : 0),
};

function contradictsItself({ intentContext, capability, crypto }: PaymentFacts): boolean {
  const intent = intentContext.intentType?.trim().toUpperCase() ?? '';
  const capabilities = servedBy.get(intent);
  if (!capabilities) return false;
  // Whoever only looks spends nothing, and every payment has an amount.
  if (capabilities.length === 0) return true;
  if (crypto?.operation === 'approve' && !mayApprove.includes(intent)) return true;
  if (capability === null || capabilities.includes(capability)) return false;
  // What is bought on a chain is paid by a transfer.
  return !(crypto && capability === 'TRANSFER' && intent !== 'REFUND_REQUEST');
}

/** The first of a series has nothing that it recurs from. */
function recursFromNothing({ intentContext }: PaymentFacts): boolean {
  const { recurrenceNumber, originalAuthorizationId } = intentContext;
  return (recurrenceNumber ?? 0) > 1 && originalAuthorizationId === null;
}
