import {
  type AnswerCounters,
  type AnswerText,
  answerText,
  markedCounters,
} from '@countersign/kernel/answer';
import { formatAmount } from '@countersign/kernel/money';
import type { Signed } from './attestation/attest.js';
import { correlationKey } from './correlation-key.js';
import type { Facts, PaymentFacts } from './facts/shape.js';
import type { Verdict } from './verdict.js';

export interface AnswerContext {
  processingTimeMs: number;
  /** Defaults to markers that the ledger replaces, or to zero if there is no mandate. */
  counters?: AnswerCounters;
  /** A simulation is not signed. */
  signed?: Signed | null;
  simulated?: true;
}

/** The public answer; a template until the ledger has filled in its counters. */
export function renderAnswer(facts: Facts, verdict: Verdict, context: AnswerContext): AnswerText {
  const { payment, agent } = facts;
  return answerText({
    authorizationId: payment.authorizationId,
    transactionId: payment.transactionId,
    correlationKey: correlationKey(payment),
    decision: verdict.decision,
    reasonCodes: verdict.reasonCodes,
    reasonDetail: verdict.reasonDetail,
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
    counters: context.counters ?? (verdict.mandate ? markedCounters : noCounters(payment)),
    intentContextProvided: true,
    intentAnomalyScore: verdict.anomaly.score,
    intentAnomalyTriggered: verdict.anomaly.triggered,
    intentAnomalySkipped: verdict.anomaly.skipped,
    viVerified: verdict.viVerified,
    viMode: verdict.viMode,
    cognitiveLimitMultiplier: verdict.cognitiveMultiplier,
    sessionTerminateRecommended: verdict.zone === 'CRITICAL',
    signed: context.signed ?? null,
    processingTimeMs: context.processingTimeMs,
    ...(context.simulated && { simulated: context.simulated }),
  });
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
