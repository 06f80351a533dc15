import { reasonByCode } from '@countersign/kernel/reason';

/** The weights of single reasons for which that of their category is not precise enough. */
const exceptions: ReadonlyMap<string, number> = new Map([
  ['VI_SIGNATURE_INVALID', 2],
  ['VI_AGENT_KEY_MISMATCH', 2],
  ['VI_NONCE_REPLAY', 2],
  ['CAPABILITY_NOT_GRANTED', 1],
  ['CURRENCY_MISMATCH', 1],
  ['VELOCITY_BURST', 0.5],
  ['DAILY_AMOUNT_EXCEEDED', 0.5],
  ['MONTHLY_AMOUNT_EXCEEDED', 0.5],
  ['DAILY_COUNT_EXCEEDED', 0.5],
  ['MONTHLY_COUNT_EXCEEDED', 0.5],
]);

const agentCaused = new Set(['merchant', 'crypto', 'limits']);
const limitsOfZone = new Set(['AMOUNT_EXCEEDS_PER_TXN', 'COGNITIVE_LIMIT_APPLIED']);

export const deniedOffence = 2;
/** An unanswered challenge says little, and may be the human's fault. */
export const expiredOffence = 0.25;

/**
 * The weight of the worst violation by the agent in one decision. 0 if there was none: being
 * suspended, without a mandate, scored as risky or hit by an outage is not the agent's doing.
 */
export function offenceOf(reasonCodes: readonly string[]): number {
  // Then the amount is within the mandate, and only the agent's score lowers the limit below it. A
  // violation would lower the score further, which the agent could not stop by keeping to its
  // mandate.
  const lowered = reasonCodes.includes('COGNITIVE_LIMIT_APPLIED');
  const counted = reasonCodes.filter((code) => !(lowered && limitsOfZone.has(code)));
  return Math.max(0, ...counted.map(weightOf));
}

function weightOf(code: string): number {
  const exception = exceptions.get(code);
  if (exception !== undefined) return exception;
  return agentCaused.has(reasonByCode(code)?.category ?? '') ? 1 : 0;
}

const keyFailures = new Set(['VI_SIGNATURE_INVALID', 'VI_AGENT_KEY_MISMATCH']);

export function isKeyFailure(reasonCodes: readonly string[]): boolean {
  return reasonCodes.some((code) => keyFailures.has(code));
}
