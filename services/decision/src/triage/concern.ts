import type { BusEvent, FraudResolution } from '@countersign/kernel/event';
import { suspectedCode, type Triaged } from './suspicion.js';
import { indicatorsIn } from './takeover.js';

/** What triage makes something of. */
export type Concern = { event: BusEvent; principalId: string; clientId: string; at: number } & (
  | { kind: 'decision'; decision: Triaged }
  | { kind: 'denial'; authorizationId: string; agentId: string }
  | { kind: 'report'; authorizationId: string; resolution: FraudResolution; reportedBy: string }
);

/** Outcomes that answer the question which a case asks. */
const answers: Readonly<Record<string, FraudResolution>> = {
  CONFIRMED_FRAUD: 'CONFIRMED_FRAUD',
  PRINCIPAL_CONFIRMED_UNAUTHORIZED: 'CONFIRMED_FRAUD',
  FALSE_POSITIVE_REPORTED: 'FALSE_POSITIVE',
  PRINCIPAL_CONFIRMED_LEGITIMATE: 'FALSE_POSITIVE',
};

/**
 * Null for nearly all events, and found out by looking at a field or two: every decision of the
 * installation comes by here. A decision about an agent that was not found has no marker, since the
 * agent may be somebody else's, of whom a stranger's request must not say anything.
 */
export function concernOf(event: BusEvent): Concern | null {
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

function ofDecision(event: BusEvent<'authorization.recorded'>): Concern | null {
  const { data } = event;
  const { triage, agentId } = data;
  if (triage === undefined || agentId === null) return null;
  const decision = { ...data, triage, agentId };
  // A human may still say no to a step-up.
  const says =
    data.decision === 'STEP_UP' ||
    data.reasonCodes.includes(suspectedCode) ||
    indicatorsIn(decision).length > 0;
  const told = says ? envelopeOf(event) : null;
  return told && { ...told, kind: 'decision', decision };
}

/** Only what a human denied: of a revoked agent the challenges end by themselves. */
function ofAmendment(event: BusEvent<'authorization.amended'>): Concern | null {
  const { authorizationId, agentId, amendment, deniedBy } = event.data;
  if (amendment !== 'STEP_UP_DENIED' || deniedBy === undefined || agentId === null) return null;
  const told = envelopeOf(event);
  return told && { ...told, kind: 'denial', authorizationId, agentId };
}

function ofOutcome(event: BusEvent<'outcome.recorded'>): Concern | null {
  const { authorizationId, outcomeType, reportedBy = 'UNKNOWN' } = event.data;
  const resolution = Object.hasOwn(answers, outcomeType) ? answers[outcomeType] : undefined;
  if (resolution === undefined) return null;
  const told = envelopeOf(event);
  return told && { ...told, kind: 'report', authorizationId, resolution, reportedBy };
}

/** Nobody's event concerns nobody. */
function envelopeOf(event: BusEvent) {
  const { principalId, clientId, occurredAt } = event;
  if (principalId === null || clientId === null) return null;
  return { event, principalId, clientId, at: Date.parse(occurredAt) };
}
