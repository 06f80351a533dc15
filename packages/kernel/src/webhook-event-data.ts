import type {
  FraudCaseOpened,
  FraudCaseResolved,
  FraudPatternSuspected,
  RecordedAuthorization,
  TrustChange,
} from './event.js';

/** Of a payment. */
interface PaymentData {
  authorization_id: string;
  /** As requested if there is no such agent; null if the request named only a DID. */
  agent_id: string | null;
  decision: RecordedAuthorization['decision'];
  /** A decimal string, with the decimals of its currency. */
  amount: string;
  currency: string;
  processing_time_ms: number;
}

interface ReasonsData extends PaymentData {
  reason_codes: string[];
  reason_detail: string;
}

interface MultiplierData extends PaymentData {
  cognitive_limit_multiplier: number;
}

interface ZoneData extends MultiplierData {
  zone: 'RED' | 'CRITICAL';
}

interface CaseData {
  case_id: string;
  authorization_id: string;
  agent_id: string;
}

/** `data` of each webhook event, in wire names. Samples also have `test: true`. */
export interface WebhookEventData {
  'gate.fired': PaymentData & { anomaly_score: number };
  'kya.zone.red': ZoneData;
  'kya.zone.critical': ZoneData;
  'session.terminate': MultiplierData & { reason: string };
  'authorization.decline': ReasonsData;
  'trust.promotion': {
    agent_id: string;
    authorization_id: string | null;
    new_trust_level: TrustChange['newTrustLevel'];
    kya_score: TrustChange['kyaScore'];
  };
  'step_up.created': ReasonsData;
  'fraud.triage.suspected_created': CaseData & {
    severity: FraudCaseOpened['severity'];
    signals: FraudCaseOpened['signals'];
    amount: string;
    currency: string;
  };
  'fraud.triage.resolved': CaseData & {
    resolution: FraudCaseResolved['resolution'];
    resolved_by: string;
  };
  'fraud.pattern.agto_suspected': {
    pattern_id: string;
    agent_id: string;
    confidence: number;
    indicators: string[];
    authorization_ids: string[];
    recommended_action: FraudPatternSuspected['recommendedAction'];
  };
}
