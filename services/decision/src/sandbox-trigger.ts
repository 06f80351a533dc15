import { Decimal } from '@countersign/kernel/money';
import type { Facts } from './facts/shape.js';

type SandboxTrigger = 'FRAUD' | 'STEP_UP' | 'INTENT_ANOMALY';

const triggers: ReadonlyArray<readonly [amount: string, trigger: SandboxTrigger]> = [
  ['666.01', 'FRAUD'],
  ['666.02', 'STEP_UP'],
  ['666.03', 'INTENT_ANOMALY'],
];

/** Amounts with which an integrator simulates rare decisions. Ordinary amounts in live. */
export function sandboxTrigger(
  facts: Pick<Facts, 'environment' | 'payment'>,
): SandboxTrigger | null {
  if (facts.environment !== 'sandbox') return null;
  const amount = new Decimal(facts.payment.amount);
  return triggers.find(([trigger]) => amount.eq(trigger))?.[1] ?? null;
}
