import type { Environment } from './environment.js';

/**
 * What travels on the bus. The outbox row is the durable event, the message a copy of it: every
 * consumer may see it more than once and deduplicates on `id`.
 */
export interface BusEvent<T extends BusEventType = BusEventType> {
  /** `evt_...`; what consumers deduplicate on. */
  id: string;
  type: T;
  environment: Environment;
  /** Null only where no Principal is concerned. */
  principalId: string | null;
  clientId: string | null;
  /** The request that caused it, for following one request through the logs. */
  requestId: string | null;
  occurredAt: string;
  /** Absent unless that request is traced: what hears of it goes on with the trace. */
  trace?: TraceCarrier;
  data: BusEventData[T];
}

/** What travels from process to process of a trace, in the words of W3C Trace Context. */
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

/** A decision as it was recorded. Amounts are decimal strings, scores 0 to 1. */
export interface RecordedAuthorization {
  authorizationId: string;
  agentId: string | null;
  mandateId: string | null;
  programId: string | null;
  decision: 'APPROVE' | 'DECLINE' | 'STEP_UP';
  reasonCodes: string[];
  reasonDetail: string;
  amount: string;
  currency: string;
  rail: 'CARD' | 'CRYPTO';
  processingTimeMs: number;
  kyaScore: number;
  zone: 'GREEN' | 'AMBER' | 'RED' | 'CRITICAL' | null;
  cognitiveLimitMultiplier: number;
  intentAnomalyScore: number;
  intentAnomalyTriggered: boolean;
  /** ISO time until which a STEP_UP can be answered; null for other decisions. */
  stepUpExpiresAt: string | null;
  /** What the agent's profile learns from it; absent where nothing could be judged. */
  learning?: RecordedLearning;
  /** What fraud triage looks at; absent where the agent's Program does not have it. */
  triage?: RecordedTriage;
}

/** What a verdict says of risk that nothing else in the event does. */
export interface RecordedTriage {
  riskScore: number;
  riskCondition: 'CLEAN' | 'ELEVATED' | 'HIGH' | 'SEVERE';
  velocityIndicator: boolean;
  /** Of the reasons that fired. */
  highestSeverity: string;
}

/** What a decision knew of the agent: its profile can be recomputed from the events alone. */
export interface RecordedLearning {
  trustLevel: string;
  agentCreatedAt: string;
  principalVerified: boolean;
  keyRegistered: boolean;
  /** Limit of one transaction of the mandate that was used; null without a mandate. */
  maxAmountPerTransaction: string | null;
  /** Who is paid, as a hash; null where nobody was named, absent in events of earlier releases. */
  merchant?: string | null;
  viVerified: boolean;
  /** No anomaly score was computed: there was too little history. */
  anomalySkipped: boolean;
  /** What later payments are compared with; absent in events of earlier releases. */
  trace?: RecordedTrace;
}

/** How a payment looked, in numbers and hashes: no text that the agent gave. */
export interface RecordedTrace {
  mcc?: string;
  /** Country, or `chain/asset` of a transfer. */
  place?: string;
  /** Hash of the task reference, 13 hex digits. */
  task: string;
  alternatives?: number;
  confidence?: number;
  /** Length in characters, and a sketch by which texts can be compared. */
  reasoning?: [length: number, sketch: string];
}

/** A later fact about a decision: step-up answered or expired, reversal, fail-safe correction. */
export interface AmendedAuthorization {
  authorizationId: string;
  agentId: string | null;
  amendment: 'STEP_UP_CONFIRMED' | 'STEP_UP_DENIED' | 'STEP_UP_EXPIRED' | 'REVERSED' | 'VOIDED';
  decision: 'APPROVE' | 'DECLINE' | 'STEP_UP';
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
  /** PRINCIPAL, ISSUER, MERCHANT or INTERNAL; absent in events of earlier releases. */
  reportedBy?: string;
  updated: boolean;
}

/** Something a cache may hold has changed; `version` only ever grows for an entity. */
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
  /** What the ledger is to be told; null where it knows, or where nothing follows. */
  outcome: { id: string; type: string } | null;
}

export type FraudResolution = 'CONFIRMED_FRAUD' | 'FALSE_POSITIVE' | 'INCONCLUSIVE';

/** An agent that somebody else may have taken over. */
export interface FraudPatternSuspected {
  patternId: string;
  agentId: string;
  confidence: number;
  indicators: string[];
  authorizationIds: string[];
  recommendedAction: 'SUSPEND_AGENT' | 'REVIEW_AGENT';
}
