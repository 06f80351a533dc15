import type { RecordedTriage } from '@countersign/kernel/event';
import type { Verdict } from '../verdict.js';

/** What triage is told of a decision, where the agent's Program has it, and nowhere else. */
export function triageMarker({ risk, highestSeverity }: Verdict): RecordedTriage {
  return {
    riskScore: risk.score,
    riskCondition: risk.condition,
    velocityIndicator: risk.components.velocity > 0,
    highestSeverity,
  };
}
