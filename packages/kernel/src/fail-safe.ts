import { type AnswerFields, answerText } from './answer.js';
import { formatAmount } from './money.js';

export const failSafeCode = 'SYSTEM_FAIL_SAFE';

/** Also the answer to a repetition whose first answer, perhaps an APPROVE, cannot be looked up. */
const failSafeDetail =
  'The decision could not be made safely, so this request reserved nothing; send the payment ' +
  'again with a new idempotency key, or with this one if it had been answered before.';

interface FailSafe {
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
  const nothing = formatAmount('0', failSafe.currency);
  return answerText(failSafeFields(failSafe), {
    reasonDetail: failSafeDetail,
    counters: {
      dailyAmountUsed: nothing,
      monthlyAmountUsed: nothing,
      dailyCountUsed: '0',
      monthlyCountUsed: '0',
    },
  });
}

function failSafeFields({ currency: _counted, ...named }: FailSafe): AnswerFields {
  return {
    ...named,
    decision: 'DECLINE',
    reasonCodes: [failSafeCode],
    mandateId: null,
    kyaScore: 0,
    trustLevel: 'REGISTERED',
    riskScore: 0,
    riskReasonCodes: [],
    conditionCode: 'CLEAN',
    velocityIndicator: false,
    highestSeverity: 'LOW',
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
