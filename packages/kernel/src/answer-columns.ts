/** What the ledger keeps of a decision in columns, so that its answer does not repeat it. */
export interface AnswerColumns {
  id: string;
  transactionId: string;
  correlationKey: string;
  principalId: string;
  agentId: string | null;
  mandateId: string | null;
  mandateHash: string | null;
  decision: string;
  reasonCodes: readonly string[];
  currency: string;
  rail: string;
  mcc: string | null;
  country: string | null;
  merchantId: string | null;
  kyaScore: number;
  trustLevel: string;
  riskScore: number;
  viVerified: boolean;
  processingTimeMs: number;
}
