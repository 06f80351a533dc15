import type { BusEvent, FraudResolution } from '@countersign/kernel/event';
import type { Triaged } from './suspicion.js';
import { indicatorsIn } from './takeover.js';

/** An event that fraud triage acts on, reduced to what it needs. */
export type TriageInput = { event: BusEvent; principalId: string; clientId: string; at: number } & (
  | { kind: 'decision'; decision: Triaged }
  | { kind: 'denial'; authorizationId: string; agentId: string }
  | { kind: 'report'; authorizationId: string; resolution: FraudResolution; reportedBy: string }
);

export type DecisionInput = Extract<TriageInput, { kind: 'decision' }>;
export type ReportInput = Extract<TriageInput, { kind: 'report' }>;

/** The outcomes that resolve a case, and how. */
const resolutions: Readonly<Record<string, FraudResolution>> = {
  CONFIRMED_FRAUD: 'CONFIRMED_FRAUD',
  PRINCIPAL_CONFIRMED_UNAUTHORIZED: 'CONFIRMED_FRAUD',
  FALSE_POSITIVE_REPORTED: 'FALSE_POSITIVE',
  PRINCIPAL_CONFIRMED_LEGITIMATE: 'FALSE_POSITIVE',
};

/**
 * Null for nearly all events. Must be cheap, since every decision of the installation passes here.
 * A decision about an agent that was not found has no triage marker: the agent may be another
 * tenant's, and a stranger's request must not count against it.
 */
export function triageInputOf(event: BusEvent): TriageInput | null {
  switch (event.type) {
    case 'authorization.recorded':
      return ofDecision(event as BusEvent<'authorization.recorded'>);
    case 'authorization.amended':
      return ofAmendment(event as BusEvent<'authorization.amended'>);
    case 'outcome.recorded':
      return ofOutcome(event as BusEvent<'outcome.recorded'>);
    default:
      return null;
  }
}

function ofDecision(event: BusEvent<'authorization.recorded'>): TriageInput | null {
  const { data } = event;
  const { triage, agentId } = data;
  if (triage === undefined || agentId === null) return null;
  const decision = { ...data, triage, agentId };
  // A suspicion, which opens a case, is one of the indicators.
  const told = indicatorsIn(decision).length > 0 ? envelopeOf(event) : null;
  return told && { ...told, kind: 'decision', decision };
}

/** Only denials by a human: those of a revoked agent's challenges are automatic. */
function ofAmendment(event: BusEvent<'authorization.amended'>): TriageInput | null {
  const { authorizationId, agentId, amendment, deniedBy } = event.data;
  if (amendment !== 'STEP_UP_DENIED' || deniedBy === undefined || agentId === null) return null;
  const told = envelopeOf(event);
  return told && { ...told, kind: 'denial', authorizationId, agentId };
}

function ofOutcome(event: BusEvent<'outcome.recorded'>): TriageInput | null {
  const { authorizationId, outcomeType, reportedBy } = event.data;
  const resolution = Object.hasOwn(resolutions, outcomeType) ? resolutions[outcomeType] : undefined;
  if (resolution === undefined) return null;
  const told = envelopeOf(event);
  return told && { ...told, kind: 'report', authorizationId, resolution, reportedBy };
}

/** Null for an event without a Principal. */
function envelopeOf(event: BusEvent) {
  const { principalId, clientId, occurredAt } = event;
  if (principalId === null || clientId === null) return null;
  return { event, principalId, clientId, at: Date.parse(occurredAt) };
}
