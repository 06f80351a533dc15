import type { Decimal } from '@countersign/kernel/money';
import type {
  AgentFacts,
  Facts,
  MandateFacts,
  PaymentFacts,
  PrincipalFacts,
  ProgramFacts,
} from '../facts-shape.js';
import type { AnomalyResult } from '../scores/anomaly.js';
import type { KyaResult } from '../scores/kya.js';
import type { RiskResult } from '../scores/risk.js';
import type { Zone } from '../scores/zone.js';
import type { Thresholds } from '../thresholds/table.js';

/**
 * What every rule looks at: the facts with everything computed from them that more than one rule
 * needs. Only a known agent becomes a subject.
 */
export interface Subject {
  facts: Facts;
  payment: PaymentFacts;
  amount: Decimal;
  agent: AgentFacts;
  principal: PrincipalFacts;
  program: ProgramFacts | null;
  /** The one mandate that is used, alone; null when none is active for the rail. */
  mandate: MandateFacts | null;
  thresholds: Thresholds;
  kya: KyaResult;
  zone: Zone;
  multiplier: number;
  anomaly: AnomalyResult;
  risk: RiskResult;
}

export type Effect = 'DECLINE' | 'STEP_UP';

/** A code that fires, with a clause of plain words: what failed, by how much, what would pass. */
export interface Finding {
  code: string;
  detail: string;
  /** Where it is not the effect that the code usually has. */
  effect?: Effect;
}

/** One rule: what it can say, in published order, and the pure function that says it. */
export interface Rule {
  name: string;
  codes: readonly string[];
  check: (subject: Subject) => Finding[];
}

/** Codes that ask for a human; every other code refuses. */
const stepUpCodes = new Set([
  'VI_CONSTRAINT_UNRESOLVED',
  'VI_ISSUER_UNTRUSTED',
  'VI_ISSUER_UNAVAILABLE',
  'VI_AGENT_KEY_NOT_REGISTERED',
  'VI_REQUIRED',
  'KYA_SCORE_STEP_UP',
  'RISK_SCORE_STEP_UP',
  'VELOCITY_BURST',
  'INTENT_ANOMALY_STEP_UP',
  'AMOUNT_STEP_UP',
  'NEW_MERCHANT_STEP_UP',
]);

export function effectOf(code: string): Effect {
  return stepUpCodes.has(code) ? 'STEP_UP' : 'DECLINE';
}
