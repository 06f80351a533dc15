import type { RecordedAuthorization, RecordedLearning } from '@countersign/kernel/event';
import { traceOf } from '../anomaly/trace.js';
import type { Facts } from '../facts/shape.js';
import { triageMarker } from '../triage/marker.js';
import type { Verdict } from '../verdict.js';

/** The data of `authorization.recorded`. In the reason, the ledger replaces the markers. */
export function recordedEventData(
  facts: Facts,
  verdict: Verdict,
  context: { processingTimeMs: number; stepUpExpiresAt: string | null },
): RecordedAuthorization {
  const { payment, agent, program } = facts;
  const learning = learningOf(facts, verdict);
  return {
    authorizationId: payment.authorizationId,
    agentId: agent?.id ?? payment.agentId,
    mandateId: verdict.mandate?.id ?? null,
    programId: program?.id ?? null,
    decision: verdict.decision,
    reasonCodes: verdict.reasonCodes,
    reasonDetail: verdict.reasonDetail,
    amount: payment.amount,
    currency: payment.currency,
    rail: payment.rail,
    processingTimeMs: context.processingTimeMs,
    kyaScore: verdict.kyaScore,
    zone: verdict.zone,
    cognitiveLimitMultiplier: verdict.cognitiveMultiplier,
    intentAnomalyScore: verdict.anomaly.score,
    intentAnomalyTriggered: verdict.anomaly.triggered,
    stepUpExpiresAt: context.stepUpExpiresAt,
    ...(learning && { learning }),
    ...(program?.fraudTriage && { triage: triageMarker(verdict) }),
  };
}

/** The input for the agent's profile; null for an unknown agent. */
function learningOf(
  { payment, agent, principal }: Facts,
  verdict: Verdict,
): RecordedLearning | null {
  if (!agent || !principal) return null;
  const trace = traceOf(payment);
  return {
    trustLevel: agent.trustLevel,
    agentCreatedAt: agent.createdAt,
    principalVerified: principal.verificationStatus === 'VERIFIED',
    keyRegistered: agent.keyRegistered,
    maxAmountPerTransaction: verdict.mandate?.maxAmountPerTransaction ?? null,
    merchant: trace.merchant,
    viVerified: verdict.viVerified,
    anomalySkipped: verdict.anomaly.skipped,
    trace: trace.recorded,
  };
}
