import type {
  FraudCaseOpened,
  FraudCaseResolved,
  FraudPatternSuspected,
} from '@countersign/kernel/event';
import { formatAmount } from '@countersign/kernel/money';
import type { Causes } from './cause.js';

/** The decision service knows which Programs have fraud triage, so it is not checked here. */
export const triageCauses = {
  'fraud.case_opened': (data) => [['fraud.triage.suspected_created', opened(data)]],
  'fraud.case_resolved': (data) => [['fraud.triage.resolved', resolved(data)]],
  'fraud.pattern_suspected': (data) => [['fraud.pattern.agto_suspected', suspected(data)]],
} satisfies Causes;

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
