import { answerMarkers, hasMarkerCharacter, withoutMarkers } from './answer-marker.js';

/** The values before serialization. Amounts are decimal strings or markers, scores 0 to 1. */
export interface AnswerFields {
  authorizationId: string;
  transactionId: string;
  correlationKey: string;
  decision: 'APPROVE' | 'DECLINE' | 'STEP_UP';
  reasonCodes: readonly string[];
  reasonDetail: string;
  agentId: string | null;
  mandateId: string | null;
  kyaScore: number;
  trustLevel: string;
  riskScore: number;
  riskReasonCodes: readonly string[];
  conditionCode: string;
  velocityIndicator: boolean;
  highestSeverity: string;
  counters: AnswerCounters;
  intentContextProvided: boolean;
  intentAnomalyScore: number;
  intentAnomalyTriggered: boolean;
  intentAnomalySkipped: boolean;
  viVerified: boolean;
  viMode: string | null;
  cognitiveLimitMultiplier: number;
  sessionTerminateRecommended: boolean;
  signed: SignedFields | null;
  processingTimeMs: number;
  simulated?: true;
}

/** The signed decision. */
export interface SignedFields {
  /** `jws` is a compact JWS, which contains no character that JSON escapes. */
  attestation: { jws: string; [member: string]: string };
  /** JSON text that takes the place of the JWS in the stored answer (`stored-answer.ts`). */
  storedJws: string;
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

/** An answer in three parts. Only the middle contains markers; head and tail are final. */
export interface AnswerParts {
  head: string;
  middle: string;
  tail: string;
}

export interface AnswerText extends AnswerParts {
  /** The tail as the ledger stores it. */
  storedTail: string;
}

/**
 * The public body of POST /authorize, built only here: every service that answers one uses this
 * text, and a replay repeats it byte for byte. The fields have the order of the API documentation.
 */
export function answerText(fields: AnswerFields): AnswerText {
  const head = opening(fields) + assessment(fields);
  const middle = counters(fields.counters);
  const tails = tailsOf(fields);
  if (hasMarkerCharacter(fields.reasonDetail)) {
    return { head: '', middle: head + middle, ...tails };
  }
  return { head, middle, ...tails };
}

export function wholeAnswer({ head, middle, tail }: AnswerParts): string {
  return head + middle + tail;
}

function opening(fields: AnswerFields): string {
  const members = {
    authorization_id: fields.authorizationId,
    transaction_id: fields.transactionId,
    correlation_key: withoutMarkers(fields.correlationKey),
    decision: fields.decision,
    reason_codes: fields.reasonCodes,
    reason_detail: fields.reasonDetail,
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

/** Counts are unquoted, so that the value that replaces a marker is a JSON number. */
function counters(used: AnswerCounters): string {
  return (
    `,"daily_amount_used":"${used.dailyAmountUsed}"` +
    `,"monthly_amount_used":"${used.monthlyAmountUsed}"` +
    `,"daily_count_used":${used.dailyCountUsed}` +
    `,"monthly_count_used":${used.monthlyCountUsed}`
  );
}

/** The JWS is most of an answer and needs no escaping, so it is inserted verbatim. */
function tailsOf(fields: AnswerFields): Pick<AnswerText, 'tail' | 'storedTail'> {
  const { signed, processingTimeMs, simulated } = fields;
  const before = `${signals(fields)},"attestation":`;
  const after = `,"processing_time_ms":${JSON.stringify(processingTimeMs)}`;
  const end = simulated ? `${after},"simulated":true}` : `${after}}`;
  if (!signed) return { tail: `${before}null${end}`, storedTail: `${before}null${end}` };
  const { attestation, storedJws } = signed;
  const [open, close] = JSON.stringify({ ...attestation, jws: '' }).split('"jws":""');
  const around = (jws: string): string => `${before}${open}"jws":${jws}${close}${end}`;
  return { tail: around(`"${attestation.jws}"`), storedTail: around(storedJws) };
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
