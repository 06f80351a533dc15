import type { Environment } from './environment.js';
import type { DecisionWord, Zone } from './vocabulary.js';

/**
 * An event on the bus. The outbox row is the durable event and the message a copy of it: a consumer
 * may receive it more than once and deduplicates by `id`.
 */
export interface BusEvent<T extends BusEventType = BusEventType> {
  /** `evt_...`; consumers deduplicate by it. */
  id: string;
  type: T;
  environment: Environment;
  /** Null only if the event concerns no Principal. */
  principalId: string | null;
  clientId: string | null;
  /** The request that caused the event, for following one request through the logs. */
  requestId: string | null;
  occurredAt: string;
  /** Present only if that request is traced; consumers then continue the trace. */
  trace?: TraceCarrier;
  data: BusEventData[T];
}

/** Trace context passed between processes, as in W3C Trace Context. */
export interface TraceCarrier {
  traceparent: string;
  tracestate?: string;
}

export interface BusEventData {
  'authorization.recorded': RecordedAuthorization;
  'authorization.amended': AmendedAuthorization;
  'outcome.recorded': RecordedOutcome;
  'identity.changed': IdentityChange;
  'trust.changed': TrustChange;
  'fraud.case_opened': FraudCaseOpened;
  'fraud.case_resolved': FraudCaseResolved;
  'fraud.pattern_suspected': FraudPatternSuspected;
}
export type BusEventType = keyof BusEventData;

/**
 * Where the events of one type are published. Approvals that concern only the profile of their
 * agent, which are most of all events, have a topic of their own: who announces or follows payments
 * is not sent them.
 */
export type BusTopic = BusEventType | typeof packedTopic;
/** As values (`packed-event.ts`). */
export const packedTopic = 'authorization.recorded.packed';

/** True for an approval that no webhook announces. */
export function isQuiet(
  recorded: Pick<RecordedAuthorization, 'decision' | 'intentAnomalyTriggered' | 'zone'>,
): boolean {
  const { decision, intentAnomalyTriggered, zone } = recorded;
  const isZoneAnnounced = zone === 'RED' || zone === 'CRITICAL';
  return decision === 'APPROVE' && !intentAnomalyTriggered && !isZoneAnnounced;
}

/** A decision as it was recorded. Amounts are decimal strings, scores 0 to 1. */
export interface RecordedAuthorization {
  authorizationId: string;
  agentId: string | null;
  mandateId: string | null;
  programId: string | null;
  decision: DecisionWord;
  reasonCodes: string[];
  reasonDetail: string;
  amount: string;
  currency: string;
  rail: 'CARD' | 'CRYPTO';
  processingTimeMs: number;
  kyaScore: number;
  zone: Zone | null;
  cognitiveLimitMultiplier: number;
  intentAnomalyScore: number;
  intentAnomalyTriggered: boolean;
  /** ISO time until which a STEP_UP can be answered; null for other decisions. */
  stepUpExpiresAt: string | null;
  /** Input for the agent's profile; absent if nothing could be judged. */
  learning?: RecordedLearning;
  /** Input for fraud triage; absent if the agent's Program does not have it enabled. */
  triage?: RecordedTriage;
}

/** The risk assessment of a decision, as far as other fields of the event do not contain it. */
export interface RecordedTriage {
  riskScore: number;
  riskCondition: 'CLEAN' | 'ELEVATED' | 'HIGH' | 'SEVERE';
  velocityIndicator: boolean;
  /** The highest severity among the reasons that fired. */
  highestSeverity: string;
}

/**
 * What the decision knew about the agent, so that its profile can be recomputed from events alone.
 */
export interface RecordedLearning {
  trustLevel: string;
  agentCreatedAt: string;
  principalVerified: boolean;
  keyRegistered: boolean;
  /** Per-transaction limit of the mandate that was used; null without a mandate. */
  maxAmountPerTransaction: string | null;
  /** Hash of the payee; null if none was named. */
  merchant: string | null;
  viVerified: boolean;
  /** True if there was too little history to compute an anomaly score. */
  anomalySkipped: boolean;
  /** What later payments are compared with by the anomaly score. */
  trace: RecordedTrace;
}

/** The features of a payment as numbers and hashes, without any text from the agent. */
export interface RecordedTrace {
  mcc?: string;
  /** Country, or `chain/asset` of a transfer. */
  place?: string;
  /** Hash of the task reference, 13 hex digits. */
  task: string;
  alternatives?: number;
  confidence?: number;
  /** Length in characters, and a similarity sketch by which texts can be compared. */
  reasoning?: [length: number, sketch: string];
}

/** A later fact about a decision: step-up answered or expired, reversal, fail-safe correction. */
export interface AmendedAuthorization {
  authorizationId: string;
  agentId: string | null;
  amendment: 'STEP_UP_CONFIRMED' | 'STEP_UP_DENIED' | 'STEP_UP_EXPIRED' | 'REVERSED' | 'VOIDED';
  decision: DecisionWord;
  amount: string;
  currency: string;
  /** Who denied a step-up; absent where it was denied because the agent was revoked. */
  deniedBy?: string;
}

export interface RecordedOutcome {
  outcomeId: string;
  authorizationId: string;
  agentId: string | null;
  outcomeType: string;
  reportedAt: string;
  /** PRINCIPAL, ISSUER, MERCHANT or INTERNAL. */
  reportedBy: string;
  updated: boolean;
}

/** A change of an entity that a cache may hold; `version` only increases for an entity. */
export interface IdentityChange {
  entity: 'program' | 'principal' | 'agent' | 'mandate';
  entityId: string;
  agentId: string | null;
  version: number;
}

export interface TrustChange {
  agentId: string;
  authorizationId: string | null;
  previousTrustLevel: string;
  newTrustLevel: string;
  promoted: boolean;
  kyaScore: number | null;
}

/** Scores of signals are 0 to 1, the amount a decimal string. */
export interface FraudCaseOpened {
  caseId: string;
  authorizationId: string;
  agentId: string;
  severity: FraudSeverity;
  signals: FraudSignal[];
  amount: string;
  currency: string;
}

export interface FraudSignal {
  code: string;
  score: number;
}

export type FraudSeverity = 'LOW' | 'MEDIUM' | 'HIGH' | 'CRITICAL';

export interface FraudCaseResolved {
  caseId: string;
  authorizationId: string;
  agentId: string;
  resolution: FraudResolution;
  /** `prn_...`, or who reported the outcome that resolved it. */
  resolvedBy: string;
  /** The outcome to report to the ledger; null if it has it already or if none follows. */
  outcome: { id: string; type: string } | null;
}

export type FraudResolution = 'CONFIRMED_FRAUD' | 'FALSE_POSITIVE' | 'INCONCLUSIVE';

/** An agent that may have been taken over by an attacker. */
export interface FraudPatternSuspected {
  patternId: string;
  agentId: string;
  confidence: number;
  indicators: string[];
  authorizationIds: string[];
  recommendedAction: 'SUSPEND_AGENT' | 'REVIEW_AGENT';
}
