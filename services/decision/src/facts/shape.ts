import type { Environment } from '@countersign/kernel/environment';
import type { RecordedTransfer } from '@countersign/kernel/recorded-transfer';
import type { Thresholds } from '@countersign/kernel/threshold';
import type { Likeness } from '../anomaly/likeness.js';
import type { IntentVerdict } from '../intent/shape.js';
import type { SubjectBinding } from '../issuer/settings.js';
import type { ProfileState } from '../profile/state.js';

/**
 * Everything a verdict depends on, and nothing else: evaluation is a pure function of the facts,
 * which are stored with the record. Plain JSON: times are ISO 8601, money is a decimal string,
 * missing values are null.
 */
export interface Facts {
  model: 'facts-1';
  environment: Environment;
  /** The time that all rules and decays use. */
  decidedAt: string;
  clientId: string;
  actingPrincipalId: string | null;
  payment: PaymentFacts;
  /** Null when the agent does not exist or is not the caller's, which is treated alike. */
  agent: AgentFacts | null;
  principal: PrincipalFacts | null;
  program: ProgramFacts | null;
  /** Mandates that cover the rail, newest first, up to the first that is active at decidedAt. */
  mandates: MandateFacts[];
  thresholds: Thresholds;
  profile: ProfileFacts | null;
  limits: LimitFacts;
  /** From the short window of the agent; absent if Redis did not answer. */
  velocity?: VelocityFacts;
  /** Whether the agent has an earlier approval at the merchant; absent if no rule needs it. */
  merchantKnown?: boolean;
  /** How the payment compares with earlier ones; absent for an unknown agent. */
  likeness?: Likeness;
  /** The verified vi_chain of the payment; absent if none was sent. */
  intent?: IntentFacts;
  /** Violations that the ledger found in the state of that chain; absent if it found none. */
  intentState?: string[];
  /** Set when the ledger reported that the agent has the maximum number of open challenges. */
  openChallengesFull?: true;
}

/** The result of the stateless verification of a chain. */
export interface IntentFacts extends IntentVerdict {
  /** How users of its issuer are bound to a Principal; null if the issuer is not trusted. */
  subjectBinding: SubjectBinding | null;
}

/** The validated request with its defaults. */
export interface PaymentFacts {
  authorizationId: string;
  transactionId: string;
  /** Whether the caller named the transaction, which must then be this Principal's. */
  transactionGiven: boolean;
  agentId: string | null;
  agentDid: string | null;
  amount: string;
  currency: string;
  rail: 'CARD' | 'CRYPTO';
  mcc: string | null;
  merchantName: string | null;
  merchantId: string | null;
  country: string | null;
  capability: string | null;
  crypto: RecordedTransfer | null;
  intentContext: IntentContextFacts;
  idempotencyKey: string | null;
  clientReference: string | null;
  references: ReferenceFacts;
  /** Hash of the validated body; `reqHash` is that of the body as it was sent. */
  bodyHash: string;
  reqHash: string;
  runtimeEvidenceJson: string | null;
  metadataJson: string | null;
}

export interface IntentContextFacts {
  taskReference: string;
  intentType: string | null;
  reasoningSummary: string | null;
  confidence: number | null;
  alternativesConsidered: number | null;
  interactionDepth: number | null;
  sessionId: string | null;
  recurrenceNumber: number | null;
  originalAuthorizationId: string | null;
}

export interface ReferenceFacts {
  networkRrn: string | null;
  networkStan: string | null;
  authCode: string | null;
  networkReference: string | null;
  txHash: string | null;
  chainId: string | null;
}

/** The ledger's fence compares `version` and refuses a proposal made from an older one. */
export interface AgentFacts {
  id: string;
  version: number;
  principalId: string;
  programId: string | null;
  did: string;
  status: string;
  trustLevel: string;
  capabilities: string[];
  keyRegistered: boolean;
  createdAt: string;
}

export interface PrincipalFacts {
  id: string;
  version: number;
  verificationStatus: string;
  riskTier: string;
}

export interface ProgramFacts {
  id: string;
  version: number;
  status: string;
  /** The rails that it enables. */
  rails: string[];
  /** Whether fraud triage opens cases; no rule uses it. Absent if it is off. */
  fraudTriage?: true;
}

export interface MandateFacts {
  id: string;
  version: number;
  status: string;
  rails: string[];
  currency: string;
  maxAmountPerTransaction: string;
  maxDailyAmount: string | null;
  maxMonthlyAmount: string | null;
  maxDailyCount: number | null;
  maxMonthlyCount: number | null;
  allowedMccs: string[];
  blockedMccs: string[];
  allowedCountries: string[];
  blockedCountries: string[];
  allowedMerchants: string[];
  blockedMerchants: string[];
  allowedChains: string[];
  allowedAssets: string[];
  allowedCounterparties: string[];
  crypto: { chains: string[]; assets: string[]; maxTransfer: string | null } | null;
  validFrom: string;
  /** Set if validity begins at creation, by identity's clock; absent if it begins later. */
  startsAtOnce?: true;
  validUntil: string;
  mandateHash: string;
}

export interface ProfileFacts {
  version: number;
  state: ProfileState;
}

/**
 * Whether the agent's decisions within the short window of the thresholds, this one included, are
 * more than their count; if so, from when on one more would not be.
 */
export type VelocityFacts = { exceeded: false } | { exceeded: true; againAt: string };

/** Read by the ledger under its lock; without codes until it has refused a proposal. */
interface LimitFacts {
  codes: string[];
  usage: UsageFacts | null;
}

/** Amounts and counts before the decision. */
export interface UsageFacts {
  day: string;
  month: string;
  dailyAmount: string;
  monthlyAmount: string;
  dailyCount: number;
  monthlyCount: number;
}
