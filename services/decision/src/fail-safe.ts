import { canonicalHash, canonicalJson } from '@countersign/kernel/canonical';
import type { RecordedAuthorization } from '@countersign/kernel/event';
import { failSafeAnswer, failSafeCode } from '@countersign/kernel/fail-safe';
import { correlationKey } from './correlation-key.js';
import type { PaymentFacts } from './facts/shape.js';
import { policyHash } from './record/policy.js';
import { type Proposal, proposalMessage } from './record/proposal-message.js';
import { defaultThresholds } from './thresholds/table.js';

interface FailSafeDecision {
  payment: PaymentFacts;
  clientId: string;
  principalId: string;
  decidedAt: string;
  /** The text of the answer. */
  answer: string;
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
  const { payment, clientId, principalId, decidedAt, answer } = decision;
  const told = toldIn(answer);
  const input = { model: 'fail-safe-1', decidedAt, clientId, principalId, payment };
  // The transaction must not be looked up: its first decision may not be recorded yet.
  const proposed = decision.given ? { ...payment, transactionGiven: false } : payment;
  const message = proposalMessage(proposed, {
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
    processingTimeMs: told.processingTimeMs,
    eventData: eventData(payment, told),
  });
  return { message, answerWith: () => answer };
}

function eventData(payment: PaymentFacts, told: Told): RecordedAuthorization {
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
    processingTimeMs: told.processingTimeMs,
    kyaScore: 0,
    zone: null,
    cognitiveLimitMultiplier: 1,
    intentAnomalyScore: 0,
    intentAnomalyTriggered: false,
    stepUpExpiresAt: null,
    reasonDetail: told.reasonDetail,
  };
}

type Told = Pick<RecordedAuthorization, 'reasonDetail' | 'processingTimeMs'>;

/** Taken from the answer, which the gateway may have given, so that the record has the same. */
function toldIn(answer: string): Told {
  const said = JSON.parse(answer) as { reason_detail?: unknown; processing_time_ms?: unknown };
  const { reason_detail: detail, processing_time_ms: ms } = said;
  return {
    reasonDetail: typeof detail === 'string' ? detail : '',
    processingTimeMs: typeof ms === 'number' ? ms : 0,
  };
}
