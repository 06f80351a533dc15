/** The API's responses as parseExact returns them: every number is the text that was sent. */
export type NumberText = string;
export type Verdict = 'APPROVE' | 'DECLINE' | 'STEP_UP';

export interface Page<T> {
  data: T[];
  pagination: { next_cursor: string | null };
}

export interface Agent {
  id: string;
  did: string;
  display_name: string;
  principal_id: string;
  status: 'ACTIVE' | 'SUSPENDED' | 'REVOKED';
  trust_level: string;
  capabilities: string[];
  total_transactions: NumberText;
  decline_rate: NumberText;
  created_at: string;
}

export interface AgentPage {
  agents: Agent[];
  total: NumberText;
  page: NumberText;
  page_size: NumberText;
}

export interface Criterion {
  required: NumberText;
  actual: NumberText;
  met: boolean;
}

export interface AgentMetrics {
  total_transactions: NumberText;
  successful_transactions: NumberText;
  declined_transactions: NumberText;
  decline_rate: NumberText;
  dispute_deflection_rate: NumberText;
  trust_promotion_eligible: boolean;
  next_trust_level: string | null;
  promotion_criteria: Record<string, Criterion>;
}

export interface Attestation {
  kid: string;
  jws: string;
}

export interface DecisionStep {
  decision: Verdict;
  at: string;
  by: string;
  reason_codes: string[];
}

interface StepUp {
  status: 'PENDING' | 'CONFIRMED' | 'DENIED' | 'EXPIRED';
  expires_at: string;
  resolved_at: string | null;
  resolved_by: string | null;
  reason: string | null;
}

export interface Entry {
  id: string;
  agent_id: string | null;
  mandate_id: string | null;
  amount: string;
  currency: string;
  mcc: string | null;
  merchant_id: string | null;
  merchant_name: string | null;
  country: string | null;
  decision: Verdict;
  reason_codes: string[];
  kya_score: NumberText;
  risk_score: NumberText;
  trust_level: string;
  processing_time_ms: NumberText;
  created_at: string;
  transaction_id: string;
  correlation_key: string;
  rail: 'CARD' | 'CRYPTO';
  client_reference: string | null;
  vi_verified: boolean;
  decision_history: DecisionStep[];
  step_up: StepUp | null;
  reversed_amount: string;
  mandate_hash: string | null;
  attestation: Attestation | null;
}

export interface Explanation {
  decision: Verdict;
  reason_detail: string;
  /** Of that moment, in the currency of the mandate; with an approval itself. Null if not known. */
  counters: Counters | null;
  policy_hash: string;
  input_hash: string;
  judged: boolean;
  /** These two are present only if a decision was evaluated. */
  facts_intact?: boolean;
  reproduced?: boolean;
  /** These and the rules are those of the re-evaluation for this response. */
  reason_codes?: string[];
  evaluated_with?: { rule_set: string; models: Record<string, string>; policy_hash: string };
  rules: Array<{ rule: string; outcome: 'FIRED' | 'PASSED'; reason_codes: string[] }>;
  scores: Record<string, unknown> | null;
  inputs: Record<string, unknown>;
}

interface Counters {
  daily_amount_used: string;
  monthly_amount_used: string;
  daily_count_used: NumberText;
  monthly_count_used: NumberText;
}

export interface Reason {
  code: string;
  category: string;
  severity: 'LOW' | 'MEDIUM' | 'HIGH' | 'CRITICAL';
  retry: string;
  description: string;
}

interface PublishedKey {
  kid: string;
  env: string;
  status: string;
  revoked_at: string | null;
}

export interface PublicKeys {
  issuer: string;
  keys: PublishedKey[];
}

export interface KeySet {
  keys: Array<Record<string, string>>;
}

export interface PendingStepUp {
  authorization_id: string;
  agent_id: string | null;
  amount: string;
  currency: string;
  merchant_name: string | null;
  reason_codes: string[];
  expires_at: string;
  created_at: string;
}

export interface Outcome {
  id: string;
  outcome_type: string;
  reported_at: string;
  reported_by: string;
  notes: string | null;
  external_reference_id: string | null;
  settled_amount: string | null;
  settled_currency: string | null;
  settled_at: string | null;
}

export interface Settlement {
  id: string;
  chain: string;
  tx_hash: string;
  status: string;
  confirmations: NumberText;
  required_confirmations: NumberText;
  settled_at: string | null;
  failure_reason: string | null;
}

export interface Mandate {
  id: string;
  agent_id: string;
  status: 'ACTIVE' | 'REVOKED' | 'EXPIRED';
  max_amount_per_transaction: string;
  max_daily_amount: string | null;
  max_monthly_amount: string | null;
  currency: string;
  valid_from: string;
  valid_until: string;
  created_at: string;
  mandate_hash: string;
  [term: string]: unknown;
}

export interface BudgetWindow {
  date: string;
  amount_limit: string | null;
  amount_used: string;
  amount_remaining: string | null;
  count_limit: NumberText | null;
  count_used: NumberText;
}

export interface Budget {
  currency: string;
  day: BudgetWindow;
  month: BudgetWindow;
}

export interface FraudPattern {
  id: string;
  agent_id: string;
  confidence: NumberText;
  indicators: string[];
  authorization_ids: string[];
  recommended_action: string;
  created_at: string;
}

export interface FraudCase {
  id: string;
  authorization_id: string;
  agent_id: string;
  severity: string;
  signals: Array<{ code: string; score: NumberText }>;
  amount: string;
  currency: string;
  status: 'OPEN' | 'RESOLVED';
  resolution: string | null;
  resolved_by: string | null;
  resolved_at: string | null;
  created_at: string;
}
