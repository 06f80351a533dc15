import { currencyExponent } from '@countersign/kernel/currency';
import { isQuiet, type RecordedAuthorization } from '@countersign/kernel/event';
import type { AnswerParts } from '@countersign/kernel/packed-answer';
import { packedData } from '@countersign/kernel/packed-event';
import type { DecisionWord } from '@countersign/kernel/vocabulary';
import type {
  CommitRequestInput,
  EntityVersionInput,
  LimitsInput,
} from '@countersign/proto/ledger';
import { correlationKey } from '../correlation-key.js';
import type { MandateFacts, PaymentFacts } from '../facts/shape.js';
import type { RecordText } from './record-text.js';

export interface Proposal {
  message: CommitRequestInput;
  /** The public answer once it is recorded, with its middle part as the ledger filled it in. */
  answerWith: (middle: string) => string;
}

/** Everything but the payment that the ledger records of a decision, fail-safe ones included. */
interface Decided {
  clientId: string;
  principalId: string;
  agentId: string | undefined;
  /** Null if no mandate was used. */
  mandate: MandateFacts | null;
  programId: string | undefined;
  decision: DecisionWord;
  reasonCodes: string[];
  limitCodes: string[];
  seen: EntityVersionInput[];
  /** Absent for a fail-safe decline, which is no more than what its caller was told. */
  epoch?: string;
  decidedAt: string;
  stepUpExpiresAt: string | undefined;
  /** As it is stored. */
  answer: AnswerParts;
  answerGiven: boolean;
  policyHash: string;
  record: RecordText;
  kyaScore: number;
  trustLevel: string;
  riskScore: number;
  viVerified: boolean;
  processingTimeMs: number;
  /** Its reason has the markers of the answer. */
  eventData: RecordedAuthorization;
}

/**
 * The message to the ledger. One object literal, since assembling an object of this size by
 * spreading costs several times as much.
 */
export function proposalMessage(payment: PaymentFacts, decided: Decided): CommitRequestInput {
  const { references } = payment;
  const { mandate, record } = decided;
  const event = eventOf(decided.eventData);
  return {
    authorizationId: payment.authorizationId,
    clientId: decided.clientId,
    principalId: decided.principalId,
    agentId: decided.agentId,
    mandateId: mandate?.id,
    programId: decided.programId,
    transactionId: payment.transactionId,
    transactionGiven: payment.transactionGiven,
    correlationKey: correlationKey(payment),
    idempotencyKey: payment.idempotencyKey ?? undefined,
    bodyHash: payment.bodyHash,
    decision: decided.decision,
    reasonCodes: decided.reasonCodes,
    limitCodes: decided.limitCodes,
    amount: payment.amount,
    currency: payment.currency,
    exponent: currencyExponent(mandate?.currency ?? payment.currency) ?? 2,
    limits: mandate ? limitsOf(mandate, payment) : undefined,
    rail: payment.rail,
    mcc: payment.mcc ?? undefined,
    country: payment.country ?? undefined,
    merchantId: payment.merchantId ?? undefined,
    merchantName: payment.merchantName ?? undefined,
    clientReference: payment.clientReference ?? undefined,
    networkRrn: references.networkRrn ?? undefined,
    networkStan: references.networkStan ?? undefined,
    authCode: references.authCode ?? undefined,
    networkReference: references.networkReference ?? undefined,
    txHash: references.txHash ?? undefined,
    chainId: references.chainId ?? undefined,
    seen: decided.seen,
    decidedAt: decided.decidedAt,
    stepUpExpiresAt: decided.stepUpExpiresAt,
    answerTemplate: decided.answer.middle,
    factsJson: record.factsJson,
    policyHash: decided.policyHash,
    inputHash: record.inputHash,
    kyaScore: decided.kyaScore,
    trustLevel: decided.trustLevel,
    riskScore: decided.riskScore,
    viVerified: decided.viVerified,
    processingTimeMs: decided.processingTimeMs,
    mandateHash: mandate?.mandateHash,
    eventDataJson: event.json,
    answerGiven: decided.answerGiven,
    basisHash: record.basisHash,
    basisJson: record.basisJson,
    thresholdsHash: record.thresholdsHash,
    thresholdsJson: record.thresholdsJson,
    answerHead: decided.answer.head,
    answerTail: decided.answer.tail,
    eventIsPacked: event.isPacked,
    epoch: decided.epoch,
  };
}

/** Events that are of use to profiles alone are published as values. */
function eventOf(data: RecordedAuthorization): { json: string; isPacked: boolean } {
  const isPacked = isQuiet(data);
  return { json: isPacked ? packedData(data) : JSON.stringify(data), isPacked };
}

/** No limits if the payment has another currency: amounts could not be compared. */
function limitsOf(mandate: MandateFacts, payment: PaymentFacts): LimitsInput {
  if (mandate.currency !== payment.currency) return {};
  return {
    dailyAmount: mandate.maxDailyAmount ?? undefined,
    monthlyAmount: mandate.maxMonthlyAmount ?? undefined,
    dailyCount: mandate.maxDailyCount ?? undefined,
    monthlyCount: mandate.maxMonthlyCount ?? undefined,
  };
}
