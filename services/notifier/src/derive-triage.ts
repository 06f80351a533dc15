import type {
  BusEvent,
  FraudCaseOpened,
  FraudCaseResolved,
  FraudPatternSuspected,
} from '@countersign/kernel/event';
import { formatAmount } from '@countersign/kernel/money';
import type { WebhookEventType } from '@countersign/kernel/webhook-event';

/**
 * Events of fraud triage. The decision service knows which Programs have it, so it is not checked
 * here.
 */
export const triageEventTypes = [
  'fraud.case_opened',
  'fraud.case_resolved',
  'fraud.pattern_suspected',
] as const;

type Cause = readonly [type: WebhookEventType, data: Record<string, unknown>];

/** Null for every other event. */
export function ofTriage({ type, data }: BusEvent): Cause | null {
  switch (type) {
    case 'fraud.case_opened':
      return ['fraud.triage.suspected_created', opened(data as FraudCaseOpened)];
    case 'fraud.case_resolved':
      return ['fraud.triage.resolved', resolved(data as FraudCaseResolved)];
    case 'fraud.pattern_suspected':
      return ['fraud.pattern.agto_suspected', suspected(data as FraudPatternSuspected)];
    default:
      return null;
  }
}

function opened(data: FraudCaseOpened) {
  return {
    ...caseIn(data),
    severity: data.severity,
    signals: data.signals.map(({ code, score }) => ({ code, score })),
    amount: formatAmount(data.amount, data.currency),
    currency: data.currency,
  };
}

function resolved(data: FraudCaseResolved) {
  return { ...caseIn(data), resolution: data.resolution, resolved_by: data.resolvedBy };
}

function caseIn({ caseId, authorizationId, agentId }: FraudCaseOpened | FraudCaseResolved) {
  if (typeof caseId !== 'string') throw new TypeError('not a fraud case');
  return { case_id: caseId, authorization_id: authorizationId, agent_id: agentId };
}

function suspected(data: FraudPatternSuspected) {
  if (typeof data.patternId !== 'string') throw new TypeError('not a fraud pattern');
  return {
    pattern_id: data.patternId,
    agent_id: data.agentId,
    confidence: data.confidence,
    indicators: data.indicators,
    authorization_ids: data.authorizationIds,
    recommended_action: data.recommendedAction,
  };
}
