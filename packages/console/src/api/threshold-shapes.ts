import type { NumberText, Verdict } from './shapes.js';

type ThresholdValues = Record<string, string | null>;

export interface Thresholds {
  thresholds: ThresholdValues;
  overrides: ThresholdValues;
  platform_defaults: ThresholdValues;
}

interface EvaluatedDecision {
  decision: Verdict;
  reason_codes: string[];
}

export interface PreviewedDecision {
  authorization_id: string;
  amount: string;
  currency: string;
  created_at: string;
  before: EvaluatedDecision;
  after: EvaluatedDecision;
}

export interface ThresholdsPreview {
  not_considered: string[];
  considered: NumberText;
  before: Record<Verdict, NumberText>;
  after: Record<Verdict, NumberText>;
  changed: PreviewedDecision[];
}
