import type { Decimal } from '@countersign/kernel/money';
import type { Thresholds } from '@countersign/kernel/threshold';
import type { Zone } from '@countersign/kernel/vocabulary';
import type { AnomalyResult } from '../anomaly/score.js';
import type {
  AgentFacts,
  Facts,
  MandateFacts,
  PaymentFacts,
  PrincipalFacts,
  ProgramFacts,
} from '../facts/shape.js';
import type { KyaResult } from '../scores/kya.js';
import type { RiskResult } from '../scores/risk.js';

/**
 * The input of every rule: the facts, and values computed from them that several rules need. Only
 * for known agents.
 */
export interface Subject {
  facts: Facts;
  payment: PaymentFacts;
  amount: Decimal;
  agent: AgentFacts;
  principal: PrincipalFacts;
  program: ProgramFacts | null;
  /** The mandate that is used; null when none is active for the rail. */
  mandate: MandateFacts | null;
  thresholds: Thresholds;
  kya: KyaResult;
  zone: Zone;
  multiplier: number;
  anomaly: AnomalyResult;
  risk: RiskResult;
}

type Effect = 'DECLINE' | 'STEP_UP';

/** A code that fires, with a clause for humans: what failed, by how much, and what would pass. */
export interface Finding {
  code: string;
  detail: string;
  /** Instead of `detail` where the payment is declined: nobody can confirm it then. */
  declinedDetail?: string;
  /** Set if it differs from the usual effect of the code. */
  effect?: Effect;
}

/** A rule: the codes it can fire, in published order, and a pure function. */
export interface Rule {
  name: string;
  codes: readonly string[];
  check: (subject: Subject) => Finding[];
}

/** Codes that ask for a human; every other code declines. */
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
