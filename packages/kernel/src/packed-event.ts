import type { Environment } from './environment.js';
import type {
  BusEvent,
  RecordedAuthorization,
  RecordedLearning,
  RecordedTrace,
  RecordedTriage,
  TraceCarrier,
} from './event.js';

/**
 * A decision as it is published on `packedTopic`: values in fixed places, because half of the event
 * would be names. Events wait in outboxes and on the bus while releases change: a place is never
 * given to another value, and other data need another layout number.
 */
export type PackedEvent = [...envelope: PackedEnvelope, data: PackedData];

type PackedEnvelope = [
  principalId: string | null,
  clientId: string | null,
  requestId: string | null,
  occurredAt: string,
  trace: TraceCarrier | null,
];

type PackedData = [
  layout: number,
  authorizationId: string,
  agentId: string | null,
  mandateId: string | null,
  programId: string | null,
  decision: RecordedAuthorization['decision'],
  reasonCodes: string[],
  reasonDetail: string,
  amount: string,
  currency: string,
  rail: RecordedAuthorization['rail'],
  processingTimeMs: number,
  kyaScore: number,
  zone: RecordedAuthorization['zone'],
  cognitiveLimitMultiplier: number,
  intentAnomalyScore: number,
  intentAnomalyTriggered: boolean,
  stepUpExpiresAt: string | null,
  learning: PackedLearning | null,
  triage?: RecordedTriage,
];

type PackedLearning = [
  trustLevel: string,
  agentCreatedAt: string,
  principalVerified: boolean,
  keyRegistered: boolean,
  maxAmountPerTransaction: string | null,
  merchant: string | null,
  viVerified: boolean,
  anomalySkipped: boolean,
  trace: RecordedTrace,
];

const layout = 1;

/** The data of an event as JSON text; what is published begins with its envelope. */
export function packedData(data: RecordedAuthorization): string {
  const { learning, triage } = data;
  const packed: PackedData = [
    layout,
    data.authorizationId,
    data.agentId,
    data.mandateId,
    data.programId,
    data.decision,
    data.reasonCodes,
    data.reasonDetail,
    data.amount,
    data.currency,
    data.rail,
    data.processingTimeMs,
    data.kyaScore,
    data.zone,
    data.cognitiveLimitMultiplier,
    data.intentAnomalyScore,
    data.intentAnomalyTriggered,
    data.stepUpExpiresAt,
    learning ? packedLearning(learning) : null,
  ];
  if (triage) packed.push(triage);
  return JSON.stringify(packed);
}

function packedLearning(learning: RecordedLearning): PackedLearning {
  return [
    learning.trustLevel,
    learning.agentCreatedAt,
    learning.principalVerified,
    learning.keyRegistered,
    learning.maxAmountPerTransaction,
    learning.merchant,
    learning.viVerified,
    learning.anomalySkipped,
    learning.trace,
  ];
}

/** The text of a whole event. */
export function packedEvent(
  { principalId, clientId, requestId, occurredAt, trace }: Omit<BusEvent, 'data'>,
  dataText: string,
): string {
  const envelope: PackedEnvelope = [principalId, clientId, requestId, occurredAt, trace ?? null];
  return `${JSON.stringify(envelope).slice(0, -1)},${dataText}]`;
}

/** Derived from the authorization id, so that a retry does not create a second event. */
export function recordedEventId(authorizationId: string): string {
  return `evt_${authorizationId.slice(authorizationId.indexOf('_') + 1)}`;
}

/** Throws for the layout of a later release, whose replicas can read it. */
export function unpackedEvent(
  [principalId, clientId, requestId, occurredAt, trace, data]: PackedEvent,
  environment: Environment,
): BusEvent<'authorization.recorded'> {
  if (data?.[0] !== layout) throw new Error('an event has a layout of a later release');
  const event: BusEvent<'authorization.recorded'> = {
    id: recordedEventId(data[1]),
    type: 'authorization.recorded',
    environment,
    principalId,
    clientId,
    requestId,
    occurredAt,
    data: unpackedData(data),
  };
  if (trace) event.trace = trace;
  return event;
}

function unpackedData(packed: PackedData): RecordedAuthorization {
  const data: RecordedAuthorization = {
    authorizationId: packed[1],
    agentId: packed[2],
    mandateId: packed[3],
    programId: packed[4],
    decision: packed[5],
    reasonCodes: packed[6],
    reasonDetail: packed[7],
    amount: packed[8],
    currency: packed[9],
    rail: packed[10],
    processingTimeMs: packed[11],
    kyaScore: packed[12],
    zone: packed[13],
    cognitiveLimitMultiplier: packed[14],
    intentAnomalyScore: packed[15],
    intentAnomalyTriggered: packed[16],
    stepUpExpiresAt: packed[17],
  };
  const [learning, triage] = [packed[18], packed[19]];
  if (learning) data.learning = unpackedLearning(learning);
  if (triage) data.triage = triage;
  return data;
}

function unpackedLearning(packed: PackedLearning): RecordedLearning {
  return {
    trustLevel: packed[0],
    agentCreatedAt: packed[1],
    principalVerified: packed[2],
    keyRegistered: packed[3],
    maxAmountPerTransaction: packed[4],
    merchant: packed[5],
    viVerified: packed[6],
    anomalySkipped: packed[7],
    trace: packed[8],
  };
}
