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
  /** As given by the caller, since it could not be looked up; null if only a DID was given. */
  agentId: string | null;
  /** Currency of the payment; determines the decimals of the counters. */
  currency: string;
  processingTimeMs: number;
}

/**
 * The public JSON text of the answer when no decision can be made. The decision service and the
 * gateway produce the same text, so a caller cannot tell which of them failed. Everything that
 * could not be looked up is zero or null: scores, trust and usage.
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
    signed: null,
  };
}
