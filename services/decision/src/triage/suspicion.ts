import type {
  FraudSeverity,
  FraudSignal,
  RecordedAuthorization,
  RecordedTriage,
} from '@countersign/kernel/event';
import { reasonByCode } from '@countersign/kernel/reason';
import { roundScore } from '../scores/rounding.js';

/** A decision of an agent whose Program has fraud triage. */
export type Triaged = RecordedAuthorization & { agentId: string; triage: RecordedTriage };

export const suspectedCode = 'FRAUD_SUSPECTED';

/** Severity and signals of a case, from the decision that opened it. */
interface Suspicion {
  severity: FraudSeverity;
  signals: FraudSignal[];
}

export function suspicionOf(decision: Triaged): Suspicion {
  const { riskCondition, highestSeverity } = decision.triage;
  const ranks = [severityOfRisk[riskCondition], asSeverity(highestSeverity)].map((severity) =>
    severities.indexOf(severity),
  );
  return { severity: severities[Math.max(...ranks)] ?? 'LOW', signals: signalsOf(decision) };
}

const severities: readonly FraudSeverity[] = ['LOW', 'MEDIUM', 'HIGH', 'CRITICAL'];

const severityOfRisk: Record<RecordedTriage['riskCondition'], FraudSeverity> = {
  CLEAN: 'LOW',
  ELEVATED: 'MEDIUM',
  HIGH: 'HIGH',
  SEVERE: 'CRITICAL',
};

function asSeverity(severity: string): FraudSeverity {
  return severities.find((known) => known === severity) ?? 'LOW';
}

/** The score of a reason code, by its published severity. */
const scoreOfSeverity: Record<FraudSeverity, number> = {
  LOW: 0.25,
  MEDIUM: 0.5,
  HIGH: 0.75,
  CRITICAL: 1,
};

/** The reason codes in their order, then the scores above zero. */
function signalsOf({ reasonCodes, kyaScore, intentAnomalyScore, triage }: Triaged): FraudSignal[] {
  const reasons = reasonCodes.map((code) => {
    const severity = asSeverity(reasonByCode(code)?.severity ?? 'LOW');
    return { code, score: scoreOfSeverity[severity] };
  });
  const numbers = [
    { code: 'RISK_SCORE', score: triage.riskScore },
    { code: 'LOW_KYA_SCORE', score: roundScore(1 - kyaScore) },
    { code: 'INTENT_ANOMALY_SCORE', score: intentAnomalyScore },
    { code: 'VELOCITY_INDICATOR', score: triage.velocityIndicator ? 1 : 0 },
  ];
  return [...reasons, ...numbers.filter(({ score }) => score > 0)];
}
