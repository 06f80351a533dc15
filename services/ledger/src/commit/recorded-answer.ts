import type { AnswerColumns } from '@countersign/kernel/answer-columns';
import { restoredAnswer } from '@countersign/kernel/stored-answer';
import type { CommitRequest } from '@countersign/proto/ledger';

/** The public answer to a proposal that was recorded, given its middle as it was filled in. */
export function recordedAnswer(request: CommitRequest, middle: string): string {
  const { answerHead, answerTail } = request;
  return restoredAnswer(answerHead + middle + answerTail, columnsOf(request));
}

/** As they are recorded, and read again from the record itself. */
function columnsOf(request: CommitRequest): AnswerColumns {
  return {
    id: request.authorizationId,
    transactionId: request.transactionId,
    correlationKey: request.correlationKey,
    principalId: request.principalId,
    agentId: request.agentId ?? null,
    mandateId: request.mandateId ?? null,
    mandateHash: request.mandateHash ?? null,
    decision: request.decision,
    reasonCodes: request.reasonCodes,
    currency: request.currency,
    rail: request.rail,
    mcc: request.mcc ?? null,
    country: request.country ?? null,
    merchantId: request.merchantId ?? null,
    kyaScore: request.kyaScore,
    trustLevel: request.trustLevel,
    riskScore: request.riskScore,
    viVerified: request.viVerified,
    processingTimeMs: request.processingTimeMs,
  };
}
