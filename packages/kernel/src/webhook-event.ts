import type { WebhookEventData } from './webhook-event-data.js';

/**
 * The webhook events as data. Registration, the public catalog and test deliveries all use this
 * table.
 */
export const webhookEventTypes = [
  'gate.fired',
  'kya.zone.red',
  'kya.zone.critical',
  'session.terminate',
  'authorization.decline',
  'trust.promotion',
  'step_up.created',
  'fraud.triage.suspected_created',
  'fraud.triage.resolved',
  'fraud.pattern.agto_suspected',
] as const;
export type WebhookEventType = (typeof webhookEventTypes)[number];

/** Matches every event type, those of later releases included. */
export const webhookWildcard = '*';

/** Deprecated names; a webhook registered for one receives the event under that name. */
export const webhookEventAliases: Readonly<Record<string, WebhookEventType>> = {
  'cts.red': 'kya.zone.red',
  'cts.critical': 'kya.zone.critical',
};

/** Only for accounts whose Program has fraud triage enabled. */
export const fraudEventTypes: readonly WebhookEventType[] = [
  'fraud.triage.suspected_created',
  'fraud.triage.resolved',
  'fraud.pattern.agto_suspected',
];

/** The type for a name (a type or an alias), or null for an unknown name. */
export function webhookEventType(name: string): WebhookEventType | null {
  const known = webhookEventTypes.find((type) => type === name);
  return known ?? (Object.hasOwn(webhookEventAliases, name) ? aliased(name) : null);
}

function aliased(name: string): WebhookEventType | null {
  return webhookEventAliases[name] ?? null;
}

/** Whether `event_types` of a webhook may contain this name. */
export function isRegistrableEvent(name: string): boolean {
  return name === webhookWildcard || webhookEventType(name) !== null;
}

/** The body of a webhook request: exactly these four fields. */
export interface WebhookEnvelope {
  id: string;
  event: string;
  /** ISO 8601, the time of sending; differs between attempts. */
  timestamp: string;
  data: object;
}

export interface CatalogEntry {
  type: WebhookEventType;
  description: string;
  samplePayload: WebhookEnvelope;
}

const sampleAgent = 'agt_01k5hj2w8rf4v9t7x3d6b0n1qa';
const sampleAuthorization = 'auth_01k5hj2xa6e5s8m4z9c7g2w3pd';
const sampleCase = 'frd_01k5hj2y7td3x1f8r6v9b4n0ke';

const base = {
  authorization_id: sampleAuthorization,
  agent_id: sampleAgent,
  decision: 'DECLINE',
  amount: '129.90',
  currency: 'USD',
  processing_time_ms: 6.2,
} as const;

interface Row<T extends WebhookEventType> {
  description: string;
  data: WebhookEventData[T];
}

const rows: { [T in WebhookEventType]: Row<T> } = {
  'gate.fired': {
    description: 'The intent anomaly gate flagged a transaction.',
    data: { ...base, decision: 'STEP_UP', anomaly_score: 0.75 },
  },
  'kya.zone.red': {
    description: 'An agent in the RED trust zone asked for an authorization; fires on each.',
    data: { ...base, cognitive_limit_multiplier: 0.5, zone: 'RED' },
  },
  'kya.zone.critical': {
    description: 'An agent in the CRITICAL trust zone asked for an authorization; fires on each.',
    data: { ...base, cognitive_limit_multiplier: 0.25, zone: 'CRITICAL' },
  },
  'session.terminate': {
    description: "Ending the agent's session is recommended: it is in the CRITICAL trust zone.",
    data: {
      ...base,
      cognitive_limit_multiplier: 0.25,
      reason: 'The agent is in the CRITICAL trust zone.',
    },
  },
  'authorization.decline': {
    description: 'A transaction was declined.',
    data: {
      ...base,
      reason_codes: ['AMOUNT_EXCEEDS_PER_TXN'],
      reason_detail:
        '129.90 USD is 29.90 USD above the limit of 100.00 USD for one transaction,' +
        ' send no more than that.',
    },
  },
  'trust.promotion': {
    description: 'An agent was promoted to a higher trust level.',
    data: {
      agent_id: sampleAgent,
      authorization_id: sampleAuthorization,
      new_trust_level: 'VERIFIED',
      kya_score: 0.82,
    },
  },
  'step_up.created': {
    description: 'A transaction waits for a human to confirm it.',
    data: {
      ...base,
      decision: 'STEP_UP',
      reason_codes: ['AMOUNT_STEP_UP'],
      reason_detail: 'Amounts from 100.00 USD need a human, have it confirmed.',
    },
  },
  'fraud.triage.suspected_created': {
    description: 'A fraud case was opened for an authorization.',
    data: {
      case_id: sampleCase,
      authorization_id: sampleAuthorization,
      agent_id: sampleAgent,
      severity: 'CRITICAL',
      signals: [
        { code: 'FRAUD_SUSPECTED', score: 1 },
        { code: 'RISK_SCORE', score: 0.64 },
      ],
      amount: '129.90',
      currency: 'USD',
    },
  },
  'fraud.triage.resolved': {
    description: 'A fraud case was resolved.',
    data: {
      case_id: sampleCase,
      authorization_id: sampleAuthorization,
      agent_id: sampleAgent,
      resolution: 'FALSE_POSITIVE',
      resolved_by: 'prn_01k5hj30c4m8w2y6d9t1f7q5vx',
    },
  },
  'fraud.pattern.agto_suspected': {
    description: 'The behaviour of an agent suggests that somebody else took it over.',
    data: {
      pattern_id: 'pat_01k5hj31z9n3b7k5r2x8e4g6ws',
      agent_id: sampleAgent,
      confidence: 0.8942,
      indicators: ['AGENT_KEY_FAILURES', 'INTENT_ANOMALIES'],
      authorization_ids: [sampleAuthorization],
      recommended_action: 'SUSPEND_AGENT',
    },
  },
};

/** The public catalog, in the order of the types above. */
export const webhookEventCatalog: readonly CatalogEntry[] = webhookEventTypes.map((type) => ({
  type,
  description: rows[type].description,
  samplePayload: {
    id: 'evt_01k5hj2z3p8q6w1y5a7c9e0g2j',
    event: type,
    timestamp: '2026-01-15T09:30:00.000Z',
    data: rows[type].data,
  },
}));

/** `data` of a test delivery: the sample with a test marker. */
export function sampleEventData(type: WebhookEventType): Record<string, unknown> {
  return { ...rows[type].data, test: true };
}
