import type { components } from './generated/openapi.js';

type Schemas = components['schemas'];

interface PaymentData {
  authorization_id: string;
  agent_id: string | null;
  decision: Schemas['Authorization']['decision'];
  /** Decimal text. */
  amount: string;
  currency: string;
  processing_time_ms: number;
}

interface RefusedData extends PaymentData {
  reason_codes: string[];
  reason_detail: string;
}

interface ZoneData extends PaymentData {
  cognitive_limit_multiplier: number;
  zone: 'RED' | 'CRITICAL';
}

/** Older names included; it does not compile unless each has its data below. */
type EventName = Exclude<Schemas['CreateWebhook']['event_types'][number], '*'>;

/** Data of each event type. */
interface EventData {
  'authorization.decline': RefusedData;
  'step_up.created': RefusedData;
  'gate.fired': PaymentData & { anomaly_score: number };
  'kya.zone.red': ZoneData;
  'kya.zone.critical': ZoneData;
  'cts.red': ZoneData;
  'cts.critical': ZoneData;
  'session.terminate': PaymentData & { cognitive_limit_multiplier: number; reason: string };
  'trust.promotion': {
    agent_id: string;
    authorization_id: string;
    new_trust_level: 'VERIFIED' | 'TRUSTED';
    kya_score: number;
  };
  'fraud.triage.suspected_created': {
    case_id: string;
    authorization_id: string;
    agent_id: string;
    severity: Schemas['FraudCase']['severity'];
    signals: Schemas['FraudCase']['signals'];
    amount: string;
    currency: string;
  };
  'fraud.triage.resolved': {
    case_id: string;
    authorization_id: string;
    agent_id: string;
    resolution: Schemas['ResolveCase']['resolution'];
    resolved_by: string;
  };
  'fraud.pattern.agto_suspected': {
    pattern_id: string;
    agent_id: string;
    confidence: number;
    indicators: string[];
    authorization_ids: string[];
    recommended_action: string;
  };
}

/**
 * A webhook event, discriminated by `event`. A webhook for `*` also receives types of later
 * releases: add a `default` to a `switch`. Samples have `test: true` in their data.
 */
export type WebhookEvent = {
  [E in EventName]: {
    /** The same in every attempt: deduplicate by it. */
    id: string;
    event: E;
    timestamp: string;
    data: EventData[E] & { test?: true };
  };
}[EventName];
