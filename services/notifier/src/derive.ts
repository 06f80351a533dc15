import { createHash } from 'node:crypto';
import {
  type BusEvent,
  type BusEventType,
  isQuiet,
  type RecordedAuthorization,
  type TrustChange,
} from '@countersign/kernel/event';
import { encodeBase32, idPrefixes } from '@countersign/kernel/id';
import { formatAmount } from '@countersign/kernel/money';
import {
  type WebhookEventType,
  webhookEventAliases,
  webhookWildcard,
} from '@countersign/kernel/webhook-event';
import type { Cause, Causes } from './cause.js';
import { triageCauses } from './derive-triage.js';

/** A webhook event derived from a bus event, before its recipients are selected. */
export interface DerivedEvent {
  id: string;
  type: WebhookEventType;
  data: object;
}

/**
 * The webhook events that a bus event causes, in wire names. Deterministic, ids included: an event
 * derived again, even from a restored database, has the same ids, so receivers can deduplicate.
 *
 * Throws a TypeError for an event of unexpected shape.
 */
export function derive(event: BusEvent): DerivedEvent[] {
  return causes(event).map(([type, data]) => ({ id: eventId(event, type), type, data }));
}

const causesByType: Causes = {
  'authorization.recorded': (data) => ofAuthorization(asRecorded(data)),
  'trust.changed': (data) => ofTrustChange(asTrustChange(data)),
  ...triageCauses,
};

/** The types of bus events that cause any; the consumer is sent these and no others. */
export const causingTypes = Object.keys(causesByType) as BusEventType[];

function causes({ type, data }: BusEvent): Cause[] {
  const causesOf = causesByType[type] as ((data: unknown) => Cause[]) | undefined;
  return causesOf?.(data) ?? [];
}

function ofAuthorization(recorded: RecordedAuthorization): Cause[] {
  // Most of them do not arrive here, but those of payments with a vi_chain do.
  if (isQuiet(recorded)) return [];
  const { decision, zone, intentAnomalyTriggered } = recorded;
  const base = {
    authorization_id: recorded.authorizationId,
    agent_id: recorded.agentId,
    decision: recorded.decision,
    amount: formatAmount(recorded.amount, recorded.currency),
    currency: recorded.currency,
    processing_time_ms: recorded.processingTimeMs,
  };
  const reasons = { reason_codes: recorded.reasonCodes, reason_detail: recorded.reasonDetail };
  const multiplier = { cognitive_limit_multiplier: recorded.cognitiveLimitMultiplier };
  const caused: Cause[] = [];
  if (decision === 'DECLINE') {
    caused.push(['authorization.decline', { ...base, ...reasons }]);
  }
  if (decision === 'STEP_UP') caused.push(['step_up.created', { ...base, ...reasons }]);
  if (intentAnomalyTriggered) {
    caused.push(['gate.fired', { ...base, anomaly_score: recorded.intentAnomalyScore }]);
  }
  if (zone === 'RED') caused.push(['kya.zone.red', { ...base, ...multiplier, zone }]);
  if (zone === 'CRITICAL') {
    const reason = 'The agent is in the CRITICAL trust zone.';
    caused.push(['kya.zone.critical', { ...base, ...multiplier, zone }]);
    caused.push(['session.terminate', { ...base, ...multiplier, reason }]);
  }
  return caused;
}

/** The interface only announces promotions, so a demotion causes no event. */
function ofTrustChange(change: TrustChange): Cause[] {
  if (!change.promoted) return [];
  const data = {
    agent_id: change.agentId,
    authorization_id: change.authorizationId,
    new_trust_level: change.newTrustLevel,
    kya_score: change.kyaScore,
  };
  return [['trust.promotion', data]];
}

/** Has the form of all ids (a UUIDv7), with the random part derived from cause and type. */
function eventId(event: BusEvent, type: WebhookEventType): string {
  const bytes = createHash('sha256').update(`${event.id} ${type}`).digest().subarray(0, 16);
  bytes.writeUIntBE(Date.parse(event.occurredAt), 0, 6);
  bytes.writeUInt8(0x70 | (bytes.readUInt8(6) & 0x0f), 6);
  bytes.writeUInt8(0x80 | (bytes.readUInt8(8) & 0x3f), 8);
  return `${idPrefixes.event}_${encodeBase32(bytes)}`;
}

/**
 * The name under which a webhook receives a type, or null if it does not. An alias counts only if
 * the type itself is not registered, so that no event is delivered twice.
 */
export function nameFor(type: WebhookEventType, registered: readonly string[]): string | null {
  if (registered.includes(type)) return type;
  const alias = registered.find((name) => webhookEventAliases[name] === type);
  return alias ?? (registered.includes(webhookWildcard) ? type : null);
}

function asRecorded(data: unknown): RecordedAuthorization {
  const recorded = data as RecordedAuthorization;
  const sound =
    typeof recorded?.authorizationId === 'string' &&
    typeof recorded.amount === 'string' &&
    typeof recorded.currency === 'string' &&
    Array.isArray(recorded.reasonCodes);
  if (!sound) throw new TypeError('not a recorded authorization');
  return recorded;
}

function asTrustChange(data: unknown): TrustChange {
  const change = data as TrustChange;
  if (typeof change?.agentId !== 'string') throw new TypeError('not a change of trust');
  return change;
}
