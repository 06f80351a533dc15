import { answerMarkers, withoutMarkers } from './answer-marker.js';
import { type Attestation, attestationText } from './attestation.js';
import type { DecisionWord } from './vocabulary.js';

/** The values before serialization. Scores are 0 to 1. */
export interface AnswerFields {
  authorizationId: string;
  transactionId: string;
  correlationKey: string;
  decision: DecisionWord;
  reasonCodes: readonly string[];
  agentId: string | null;
  mandateId: string | null;
  kyaScore: number;
  trustLevel: string;
  riskScore: number;
  riskReasonCodes: readonly string[];
  conditionCode: string;
  velocityIndicator: boolean;
  highestSeverity: string;
  intentContextProvided: boolean;
  intentAnomalyScore: number;
  intentAnomalyTriggered: boolean;
  intentAnomalySkipped: boolean;
  viVerified: boolean;
  viMode: string | null;
  cognitiveLimitMultiplier: number;
  sessionTerminateRecommended: boolean;
  attestation: Attestation | null;
  processingTimeMs: number;
  simulated?: true;
}

/** What is known only under the ledger's lock. Amounts are decimal strings, until then markers. */
export interface CountedFields {
  reasonDetail: string;
  counters: AnswerCounters;
}

/** Usage of the limits after the decision. Counts are strings, because they may be markers. */
export interface AnswerCounters {
  dailyAmountUsed: string;
  monthlyAmountUsed: string;
  dailyCountUsed: string;
  monthlyCountUsed: string;
}

/** Placeholders that the ledger replaces. */
export const markedCounters: AnswerCounters = {
  dailyAmountUsed: answerMarkers.dailyAmountUsed,
  monthlyAmountUsed: answerMarkers.monthlyAmountUsed,
  dailyCountUsed: answerMarkers.dailyCountUsed,
  monthlyCountUsed: answerMarkers.monthlyCountUsed,
};

/**
 * The public body of POST /authorize, built only here: every service that answers one uses this
 * text, and a replay repeats it byte for byte. The fields have the order of the API documentation.
 * The ledger stores an answer as values (`packed-answer.ts`), and this function completes them for
 * years: another text needs another layout there.
 */
export function answerText(fields: AnswerFields, counted: CountedFields): string {
  return (
    opening(fields, counted.reasonDetail) +
    assessment(fields) +
    countersText(counted.counters) +
    signals(fields) +
    closing(fields)
  );
}

function opening(fields: AnswerFields, reasonDetail: string): string {
  const members = {
    authorization_id: fields.authorizationId,
    transaction_id: fields.transactionId,
    correlation_key: withoutMarkers(fields.correlationKey),
    decision: fields.decision,
    reason_codes: fields.reasonCodes,
    reason_detail: reasonDetail,
    agent_id: fields.agentId === null ? null : withoutMarkers(fields.agentId),
    mandate_id: fields.mandateId,
    kya_score: fields.kyaScore,
    trust_level: fields.trustLevel,
    risk_score: fields.riskScore,
  };
  return JSON.stringify(members).slice(0, -1);
}

function assessment(fields: AnswerFields): string {
  const members = {
    score: fields.riskScore,
    reason_codes: fields.riskReasonCodes,
    condition_code: fields.conditionCode,
    velocity_indicator: fields.velocityIndicator,
    highest_severity: fields.highestSeverity,
  };
  return `,"risk_assessment":${JSON.stringify(members)}`;
}

/** Counts are strings, but JSON numbers in the text. */
function countersText(used: AnswerCounters): string {
  return (
    `,"daily_amount_used":"${used.dailyAmountUsed}"` +
    `,"monthly_amount_used":"${used.monthlyAmountUsed}"` +
    `,"daily_count_used":${used.dailyCountUsed}` +
    `,"monthly_count_used":${used.monthlyCountUsed}`
  );
}

function signals(fields: AnswerFields): string {
  const members = {
    intent_context_provided: fields.intentContextProvided,
    intent_anomaly_score: fields.intentAnomalyScore,
    intent_anomaly_triggered: fields.intentAnomalyTriggered,
    intent_anomaly_skipped: fields.intentAnomalySkipped,
    vi_verified: fields.viVerified,
    vi_mode: fields.viMode,
    cognitive_limit_active: fields.cognitiveLimitMultiplier < 1,
    cognitive_limit_multiplier: fields.cognitiveLimitMultiplier,
    session_terminate_recommended: fields.sessionTerminateRecommended,
  };
  return `,${JSON.stringify(members).slice(1, -1)}`;
}

function closing({ attestation, processingTimeMs, simulated }: AnswerFields): string {
  const signed = attestation ? attestationText(attestation) : 'null';
  const time = JSON.stringify(processingTimeMs);
  const end = simulated ? ',"simulated":true}' : '}';
  return `,"attestation":${signed},"processing_time_ms":${time}${end}`;
}
