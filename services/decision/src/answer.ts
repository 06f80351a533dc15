import {
  type AnswerCounters,
  type AnswerText,
  answerText,
  markedCounters,
} from '@countersign/kernel/answer';
import { formatAmount } from '@countersign/kernel/money';
import type { Attestation } from './attestation/attest.js';
import { correlationKey } from './correlation-key.js';
import type { Facts, PaymentFacts } from './facts-shape.js';
import type { Verdict } from './verdict.js';

export interface AnswerContext {
  processingTimeMs: number;
  /** Defaults to markers for the ledger, or to nothing used where there is no mandate. */
  counters?: AnswerCounters;
  /** The decision, signed; a simulated one never is. */
  attestation?: Attestation | null;
  simulated?: true;
}

/** The public answer; a template as long as the ledger has not filled in its counters. */
export function renderAnswer(facts: Facts, verdict: Verdict, context: AnswerContext): AnswerText {
  const { payment, agent } = facts;
  return answerText({
    authorizationId: payment.authorizationId,
    transactionId: payment.transactionId,
    correlationKey: correlationKey(payment),
    decision: verdict.decision,
    reasonCodes: verdict.reasonCodes,
    reasonDetail: verdict.reasonDetail,
    // An unknown agent is named as the caller named it, and a DID names none.
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
    attestation: context.attestation ?? null,
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
