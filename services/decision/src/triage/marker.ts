import type { RecordedTriage } from '@countersign/kernel/event';
import type { Verdict } from '../verdict.js';

/** The input of fraud triage; only in decisions of agents whose Program has fraud triage. */
export function triageMarker({ risk, highestSeverity }: Verdict): RecordedTriage {
  return {
    riskScore: risk.score,
    riskCondition: risk.condition,
    velocityIndicator: risk.components.velocity > 0,
    highestSeverity,
  };
}
