import { reasonByCode } from '@countersign/kernel/reason';

/** What a reason says about the agent's own behaviour, where its category is not precise enough. */
const exceptions: ReadonlyMap<string, number> = new Map([
  ['VI_SIGNATURE_INVALID', 2],
  ['VI_AGENT_KEY_MISMATCH', 2],
  ['VI_NONCE_REPLAY', 2],
  ['CAPABILITY_NOT_GRANTED', 1],
  ['CURRENCY_MISMATCH', 1],
  ['COGNITIVE_LIMIT_APPLIED', 1],
  ['VELOCITY_BURST', 0.5],
  ['DAILY_AMOUNT_EXCEEDED', 0.5],
  ['MONTHLY_AMOUNT_EXCEEDED', 0.5],
  ['DAILY_COUNT_EXCEEDED', 0.5],
  ['MONTHLY_COUNT_EXCEEDED', 0.5],
]);

const agentCaused = new Set(['merchant', 'crypto', 'limits']);

export const deniedOffence = 2;
/** Nobody wanted the payment enough to answer, which is little, and may be the human's doing. */
export const expiredOffence = 0.25;

/**
 * The weight of the worst thing the agent did in one decision, 0 when nothing was its doing: being
 * suspended, without a mandate, judged risky or hit by a fault of ours is no violation.
 */
export function offenceOf(reasonCodes: readonly string[]): number {
  return Math.max(0, ...reasonCodes.map(weightOf));
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
