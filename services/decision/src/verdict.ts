import type { DecisionWord, Zone } from '@countersign/kernel/vocabulary';
import type { AnomalyResult } from './anomaly/score.js';
import type { MandateFacts } from './facts/shape.js';
import type { Finding } from './rules/rule.js';
import type { KyaResult } from './scores/kya.js';
import type { RiskResult } from './scores/risk.js';

/** The result of an evaluation: everything in an answer but ids, counters and times. */
export interface Verdict {
  decision: DecisionWord;
  /** In published order, each once. */
  reasonCodes: string[];
  /** One sentence; may hold markers that the ledger fills in. */
  reasonDetail: string;
  /** The reason codes that only the ledger can confirm. */
  limitCodes: string[];
  /** The mandate that was used; null if none was active. */
  mandate: MandateFacts | null;
  trustLevel: string;
  kyaScore: number;
  /** Null for an unknown agent. */
  kya: KyaResult | null;
  zone: Zone | null;
  cognitiveMultiplier: number;
  anomaly: AnomalyResult;
  risk: RiskResult;
  riskReasonCodes: string[];
  highestSeverity: string;
  viVerified: boolean;
  viMode: 'IMMEDIATE' | 'AUTONOMOUS' | null;
  findings: Finding[];
}
