import { canonicalHash, canonicalJson } from '@countersign/kernel/canonical';
import type { RecordedAuthorization } from '@countersign/kernel/event';
import { failSafeAnswer, failSafeCode } from '@countersign/kernel/fail-safe';
import { correlationKey } from './correlation-key.js';
import type { PaymentFacts } from './facts/shape.js';
import { policyHash } from './record/policy.js';
import { type Proposal, proposalMessage } from './record/proposal-message.js';
import { defaultThresholds } from './thresholds/table.js';

export interface FailSafeDecision {
  payment: PaymentFacts;
  clientId: string;
  principalId: string;
  decidedAt: string;
  /** The text of the answer. */
  answer: string;
  processingTimeMs: number;
  /** Code of the fault, for readers of the record. */
  cause: string;
  /** Set when the caller has this answer already: it supersedes any other decision of this id. */
  given?: true;
}

export function failSafeText(payment: PaymentFacts, processingTimeMs: number): string {
  const { authorizationId, transactionId, agentId, currency } = payment;
  return failSafeAnswer({
    authorizationId,
    transactionId,
    correlationKey: correlationKey(payment),
    agentId,
    currency,
    processingTimeMs,
  });
}

/** Nothing was evaluated, so the proposal has no mandate, no limits and no versions. */
export function failSafeProposal(decision: FailSafeDecision): Proposal {
  const { payment, clientId, principalId, decidedAt, processingTimeMs } = decision;
  const input = { model: 'fail-safe-1', decidedAt, clientId, principalId, payment };
  // The transaction must not be looked up: its first decision may not be recorded yet.
  const told = decision.given ? { ...payment, transactionGiven: false } : payment;
  const { answer } = decision;
  const message = proposalMessage(told, {
    clientId,
    principalId,
    agentId: payment.agentId ?? undefined,
    mandate: null,
    programId: undefined,
    decision: 'DECLINE',
    reasonCodes: [failSafeCode],
    limitCodes: [],
    seen: [],
    decidedAt,
    stepUpExpiresAt: undefined,
    answer: { head: answer, middle: '', tail: '' },
    answerGiven: decision.given ?? false,
    policyHash: policyHash({ thresholds: defaultThresholds, mandate: null }),
    record: {
      factsJson: canonicalJson({ ...input, cause: decision.cause }),
      inputHash: `sha256:${canonicalHash(input)}`,
    },
    kyaScore: 0,
    trustLevel: 'REGISTERED',
    riskScore: 0,
    viVerified: false,
    processingTimeMs,
    eventData: eventData(decision),
  });
  return { message, answerWith: () => answer };
}

function eventData({ payment, answer, processingTimeMs }: FailSafeDecision): RecordedAuthorization {
  return {
    authorizationId: payment.authorizationId,
    agentId: payment.agentId,
    mandateId: null,
    programId: null,
    decision: 'DECLINE',
    reasonCodes: [failSafeCode],
    amount: payment.amount,
    currency: payment.currency,
    rail: payment.rail,
    processingTimeMs,
    kyaScore: 0,
    zone: null,
    cognitiveLimitMultiplier: 1,
    intentAnomalyScore: 0,
    intentAnomalyTriggered: false,
    stepUpExpiresAt: null,
    reasonDetail: reasonDetailIn(answer),
  };
}

/** Taken from the answer, which the gateway may have given. */
function reasonDetailIn(answer: string): string {
  const { reason_detail: told } = JSON.parse(answer) as { reason_detail?: unknown };
  return typeof told === 'string' ? told : '';
}
