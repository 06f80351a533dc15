import type { FraudCase } from '@countersign/proto/decision';
import type { Money } from './money.js';

export function caseView<T>(fraudCase: FraudCase, money: Money<T>) {
  return {
    id: fraudCase.id,
    authorization_id: fraudCase.authorizationId,
    agent_id: fraudCase.agentId,
    severity: fraudCase.severity,
    signals: fraudCase.signals.map(({ code, score }) => ({ code, score })),
    amount: money(fraudCase.amount, fraudCase.currency),
    currency: fraudCase.currency,
    status: fraudCase.status,
    resolution: fraudCase.resolution ?? null,
    resolved_by: fraudCase.resolvedBy ?? null,
    resolved_at: fraudCase.resolvedAt ?? null,
    created_at: fraudCase.createdAt,
  };
}
