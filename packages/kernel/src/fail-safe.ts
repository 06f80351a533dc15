import { type AnswerFields, answerText, wholeAnswer } from './answer.js';
import { formatAmount } from './money.js';

export const failSafeCode = 'SYSTEM_FAIL_SAFE';

const failSafeDetail =
  'The decision could not be made safely, so nothing was reserved; ' +
  'send the payment again with a new idempotency key.';

export interface FailSafe {
  authorizationId: string;
  transactionId: string;
  correlationKey: string;
  /** As the caller named it, for nobody could look it up; null where only a DID was given. */
  agentId: string | null;
  /** The currency of the payment, for the decimals of the counters. */
  currency: string;
  processingTimeMs: number;
}

/**
 * The public JSON text of the answer that is given when a decision cannot be made. Decision and
 * gateway give the same one: which of the two had to is not visible to a caller. Whatever could not
 * be looked up is zero or null: no score, no trust, nothing used.
 */
export function failSafeAnswer(failSafe: FailSafe): string {
  return wholeAnswer(answerText(failSafeFields(failSafe)));
}

function failSafeFields({ currency, ...named }: FailSafe): AnswerFields {
  const nothing = formatAmount('0', currency);
  return {
    ...named,
    decision: 'DECLINE',
    reasonCodes: [failSafeCode],
    reasonDetail: failSafeDetail,
    mandateId: null,
    kyaScore: 0,
    trustLevel: 'REGISTERED',
    riskScore: 0,
    riskReasonCodes: [],
    conditionCode: 'CLEAN',
    velocityIndicator: false,
    highestSeverity: 'LOW',
    counters: {
      dailyAmountUsed: nothing,
      monthlyAmountUsed: nothing,
      dailyCountUsed: '0',
      monthlyCountUsed: '0',
    },
    intentContextProvided: true,
    intentAnomalyScore: 0,
    intentAnomalyTriggered: false,
    intentAnomalySkipped: true,
    viVerified: false,
    viMode: null,
    cognitiveLimitMultiplier: 1,
    sessionTerminateRecommended: false,
    attestation: null,
  };
}
