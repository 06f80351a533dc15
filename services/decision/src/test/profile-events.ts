import type {
  AmendedAuthorization,
  BusEvent,
  RecordedAuthorization,
  RecordedTriage,
} from '@countersign/kernel/event';
import { newId } from '@countersign/kernel/id';
import type { ProfileEntry } from '../profile/entry.js';
import { learn, type ProfileEvent } from '../profile/learn.js';
import type { ProfileState } from '../profile/state.js';
import type { Triaged } from '../triage/suspicion.js';

export const startedAt = Date.parse('2026-11-21T12:00:00.000Z');

export interface EventSubject {
  agentId: string;
  authorizationId?: string;
  principalId?: string;
  minute?: number;
}

function envelope({ principalId = 'prn_1', minute = 0 }: EventSubject) {
  return {
    id: newId('event'),
    environment: 'live' as const,
    principalId,
    clientId: 'cli_1',
    requestId: 'req-1',
    occurredAt: new Date(startedAt + minute * 60_000).toISOString(),
  };
}

export function recorded(
  subject: EventSubject,
  data: Partial<RecordedAuthorization> = {},
): BusEvent<'authorization.recorded'> {
  return {
    ...envelope(subject),
    type: 'authorization.recorded',
    data: {
      authorizationId: subject.authorizationId ?? newId('authorization'),
      agentId: subject.agentId,
      mandateId: 'mnd_1',
      programId: null,
      decision: 'APPROVE',
      reasonCodes: [],
      reasonDetail: '',
      amount: '10.00',
      currency: 'USD',
      rail: 'CARD',
      processingTimeMs: 1,
      kyaScore: 0.6225,
      zone: 'AMBER',
      cognitiveLimitMultiplier: 1,
      intentAnomalyScore: 0,
      intentAnomalyTriggered: false,
      stepUpExpiresAt: null,
      learning: {
        trustLevel: 'REGISTERED',
        agentCreatedAt: new Date(startedAt).toISOString(),
        principalVerified: true,
        keyRegistered: false,
        maxAmountPerTransaction: '100.00',
        merchant: null,
        viVerified: false,
        anomalySkipped: true,
        trace: { task: '00000000000aa' },
      },
      ...data,
    },
  };
}

export function amended(
  subject: EventSubject,
  amendment: AmendedAuthorization['amendment'],
  amount = '10.00',
): BusEvent<'authorization.amended'> {
  const { agentId, authorizationId = '' } = subject;
  const decision = 'APPROVE';
  const data = { authorizationId, agentId, amendment, decision, amount, currency: 'USD' } as const;
  return { ...envelope(subject), type: 'authorization.amended', data };
}

/** By a human: where a challenge ends because its agent is revoked, nobody is named. */
export function denial(subject: EventSubject): BusEvent<'authorization.amended'> {
  const event = amended(subject, 'STEP_UP_DENIED');
  return { ...event, data: { ...event.data, deniedBy: subject.principalId ?? 'prn_1' } };
}

export function outcome(subject: EventSubject, outcomeType: string): BusEvent<'outcome.recorded'> {
  const { agentId, authorizationId = '' } = subject;
  return {
    ...envelope(subject),
    type: 'outcome.recorded',
    data: {
      outcomeId: newId('outcome'),
      authorizationId,
      agentId,
      outcomeType,
      reportedAt: new Date(startedAt).toISOString(),
      reportedBy: 'ISSUER',
      updated: false,
    },
  };
}

/** A decision in a Program that has fraud triage. */
export function triaged(
  data: Partial<RecordedAuthorization>,
  triage: Partial<RecordedTriage> = {},
): Triaged {
  const { data: decision } = recorded({ agentId: newId('agent') }, data);
  return {
    ...decision,
    agentId: decision.agentId ?? '',
    triage: {
      riskScore: 0.2,
      riskCondition: 'CLEAN',
      velocityIndicator: false,
      highestSeverity: 'NONE',
      ...triage,
    },
  };
}

/** The profile of an agent after events of any of its authorizations; null after none. */
export function learnAll(events: readonly ProfileEvent[]): ProfileState | null {
  const entries = new Map<string, ProfileEntry>();
  let state: ProfileState | null = null;
  for (const event of events) {
    const { authorizationId } = event.data;
    const learnt = learn(event, { state, entry: entries.get(authorizationId) ?? null });
    entries.set(authorizationId, learnt.entry);
    state = learnt.state;
  }
  return state;
}
