import type { FraudPattern } from '@countersign/proto/decision';

export function fraudPatternView(pattern: FraudPattern) {
  return {
    id: pattern.id,
    agent_id: pattern.agentId,
    confidence: pattern.confidence,
    indicators: pattern.indicators,
    authorization_ids: pattern.authorizationIds,
    recommended_action: pattern.recommendedAction,
    created_at: pattern.createdAt,
  };
}
