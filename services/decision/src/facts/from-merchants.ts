import { Decimal } from '@countersign/kernel/money';
import type { Thresholds } from '@countersign/kernel/threshold';
import type { Call } from '@countersign/runtime/grpc-types';
import type { Budget } from '../budget.js';
import type { Context } from '../context.js';
import { isKnownMerchant } from '../profile/known-merchants.js';
import { merchantKey } from './merchant-key.js';
import type { PaymentFacts } from './shape.js';

/**
 * Whether the agent has an earlier approval at the merchant. Undefined, and not read, unless the
 * Principal has set a threshold that the amount reaches: other payments need no query. A payment
 * that names no merchant counts as one to an unknown merchant.
 */
export async function merchantKnown(
  { stores }: Pick<Context, 'stores'>,
  { call, budget, payment }: { call: Call; budget: Budget; payment: PaymentFacts },
  { agentId, thresholds }: { agentId: string | undefined; thresholds: Thresholds },
): Promise<boolean | undefined> {
  const { newMerchantStepUpAmount: from } = thresholds;
  if (!agentId || from === null || new Decimal(payment.amount).lt(from)) return undefined;
  const merchant = merchantKey(payment);
  if (merchant === null) return false;
  const reading = isKnownMerchant(stores[call.environment].pool, { agentId, merchant });
  return budget.within('database', reading);
}
