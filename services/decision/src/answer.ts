import {
  type AnswerCounters,
  type AnswerFields,
  answerText,
  type CountedFields,
  markedCounters,
} from '@countersign/kernel/answer';
import type { Attestation } from '@countersign/kernel/attestation';
import { formatAmount } from '@countersign/kernel/money';
import { correlationKey } from './correlation-key.js';
import type { Facts, PaymentFacts } from './facts/shape.js';
import type { Verdict } from './verdict.js';

interface AnswerContext {
  processingTimeMs: number;
  /** Defaults to markers that the ledger replaces, or to zero if there is no mandate. */
  counters?: AnswerCounters;
  /** A simulation has none. */
  attestation?: Attestation | null;
  simulated?: true;
}

/** The public answer to a payment that is not recorded. */
export function unrecordedAnswer(facts: Facts, verdict: Verdict, context: AnswerContext): string {
  return answerText(
    answerFields(facts, verdict, context),
    countedFields(facts, verdict, context.counters),
  );
}

/** What the ledger counts, as markers where there is a mandate and no counters are given. */
export function countedFields(
  { payment }: Facts,
  { mandate, reasonDetail }: Verdict,
  counters = mandate ? markedCounters : noCounters(payment),
): CountedFields {
  return { reasonDetail, counters };
}

export function answerFields(
  { payment, agent }: Facts,
  verdict: Verdict,
  context: AnswerContext,
): AnswerFields {
  return {
    authorizationId: payment.authorizationId,
    transactionId: payment.transactionId,
    correlationKey: correlationKey(payment),
    decision: verdict.decision,
    reasonCodes: verdict.reasonCodes,
    // For an unknown agent the id is the one of the request, which has none if it gave a DID.
    agentId: agent?.id ?? payment.agentId,
    mandateId: verdict.mandate?.id ?? null,
    kyaScore: verdict.kyaScore,
    trustLevel: verdict.trustLevel,
    riskScore: verdict.risk.score,
    riskReasonCodes: verdict.riskReasonCodes,
    conditionCode: verdict.risk.condition,
    velocityIndicator: verdict.risk.components.velocity > 0,
    highestSeverity: verdict.highestSeverity,
    intentContextProvided: true,
    intentAnomalyScore: verdict.anomaly.score,
    intentAnomalyTriggered: verdict.anomaly.triggered,
    intentAnomalySkipped: verdict.anomaly.skipped,
    viVerified: verdict.viVerified,
    viMode: verdict.viMode,
    cognitiveLimitMultiplier: verdict.cognitiveMultiplier,
    sessionTerminateRecommended: verdict.zone === 'CRITICAL',
    attestation: context.attestation ?? null,
    processingTimeMs: context.processingTimeMs,
    ...(context.simulated && { simulated: context.simulated }),
  };
}

/** Limits belong to a mandate: without one, nothing is counted. */
function noCounters({ currency }: PaymentFacts): AnswerCounters {
  const nothing = formatAmount('0', currency);
  return {
    dailyAmountUsed: nothing,
    monthlyAmountUsed: nothing,
    dailyCountUsed: '0',
    monthlyCountUsed: '0',
  };
}
