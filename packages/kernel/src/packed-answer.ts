import { type AnswerFields, answerText, type CountedFields } from './answer.js';
import type { AnswerColumns } from './answer-columns.js';
import { escapedMarkers } from './answer-marker.js';
import { type PackedAttestation, repeatedAttestation } from './packed-attestation.js';

/**
 * The rest of an answer as the ledger stores it: values in fixed places, without the names that all
 * answers have in common. Stored answers outlive a release: a place is never given to another
 * value, and another answer, or other claims, need another layout number beside this one.
 */
export type PackedAnswer = [
  layout: typeof packedLayout,
  riskReasonCodes: readonly string[],
  conditionCode: string,
  velocityIndicator: boolean,
  highestSeverity: string,
  ...counted: PackedCounted,
  intentContextProvided: boolean,
  intentAnomalyScore: number,
  intentAnomalyTriggered: boolean,
  intentAnomalySkipped: boolean,
  viMode: string | null,
  cognitiveLimitMultiplier: number,
  sessionTerminateRecommended: boolean,
  attestation: PackedAttestation | null,
];

type PackedCounted = [
  dailyAmountUsed: string,
  monthlyAmountUsed: string,
  dailyCountUsed: number,
  monthlyCountUsed: number,
  reasonDetail: string,
];

export const packedLayout = 2;
/** Of its list. */
export const packedLength: PackedAnswer['length'] = 18;

/** A text in three parts. Only the middle contains markers; head and tail are final. */
export interface AnswerParts {
  head: string;
  middle: string;
  tail: string;
}

/** What is stored of an answer, with the markers of `counted` in the middle. */
export function packedAnswer(
  fields: AnswerFields,
  { reasonDetail, counters }: CountedFields,
  packed: PackedAttestation | null,
): AnswerParts {
  const head = [
    packedLayout,
    fields.riskReasonCodes,
    fields.conditionCode,
    fields.velocityIndicator,
    fields.highestSeverity,
  ];
  const tail = [
    fields.intentContextProvided,
    fields.intentAnomalyScore,
    fields.intentAnomalyTriggered,
    fields.intentAnomalySkipped,
    fields.viMode,
    fields.cognitiveLimitMultiplier,
    fields.sessionTerminateRecommended,
    packed,
  ];
  return {
    head: JSON.stringify(head).slice(0, -1),
    // Counts are unquoted, so that the value that replaces a marker is a JSON number.
    middle:
      `,"${counters.dailyAmountUsed}","${counters.monthlyAmountUsed}"` +
      `,${counters.dailyCountUsed},${counters.monthlyCountUsed},${JSON.stringify(reasonDetail)}`,
    tail: `,${escapedMarkers(JSON.stringify(tail)).slice(1)}`,
  };
}

/** The counted fields in the middle of a packed answer whose markers have been replaced. */
export function countedIn(middle: string): CountedFields {
  return countedOf(JSON.parse(`[${middle.slice(1)}]`) as PackedCounted);
}

function countedOf([day, month, dayCount, monthCount, reasonDetail]: PackedCounted): CountedFields {
  return {
    reasonDetail,
    counters: {
      dailyAmountUsed: day,
      monthlyAmountUsed: month,
      dailyCountUsed: String(dayCount),
      monthlyCountUsed: String(monthCount),
    },
  };
}

/** The public answer, byte for byte as it was sent. */
export function unpackedAnswer(packed: PackedAnswer, columns: AnswerColumns): string {
  const [, riskReasonCodes, conditionCode, velocityIndicator, highestSeverity, ...rest] = packed;
  const [dayAmount, monthAmount, dayCount, monthCount, reasonDetail, ...signals] = rest;
  const [intentContextProvided, anomalyScore, anomalyTriggered, anomalySkipped, ...last] = signals;
  const [viMode, cognitiveLimitMultiplier, sessionTerminateRecommended, attestation] = last;
  const fields: AnswerFields = {
    authorizationId: columns.id,
    transactionId: columns.transactionId,
    correlationKey: columns.correlationKey,
    decision: columns.decision as AnswerFields['decision'],
    reasonCodes: columns.reasonCodes,
    agentId: columns.agentId,
    mandateId: columns.mandateId,
    kyaScore: columns.kyaScore,
    trustLevel: columns.trustLevel,
    riskScore: columns.riskScore,
    riskReasonCodes,
    conditionCode,
    velocityIndicator,
    highestSeverity,
    intentContextProvided,
    intentAnomalyScore: anomalyScore,
    intentAnomalyTriggered: anomalyTriggered,
    intentAnomalySkipped: anomalySkipped,
    viVerified: columns.viVerified,
    viMode,
    cognitiveLimitMultiplier,
    sessionTerminateRecommended,
    attestation: null,
    processingTimeMs: columns.processingTimeMs,
  };
  if (attestation) fields.attestation = repeatedAttestation(attestation, fields, columns);
  return answerText(
    fields,
    countedOf([dayAmount, monthAmount, dayCount, monthCount, reasonDetail]),
  );
}
