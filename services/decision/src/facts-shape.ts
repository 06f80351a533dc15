import type { Environment } from '@countersign/kernel/environment';
import type { Likeness } from './anomaly/likeness.js';
import type { IntentVerdict } from './intent/shape.js';
import type { SubjectBinding } from './issuer/settings.js';
import type { ProfileState } from './profile/state.js';
import type { Thresholds } from './thresholds/table.js';

/**
 * Everything a verdict depends on, and nothing else: the judge is a pure function of it, and it is
 * kept with the record. Plain JSON: times ISO 8601, money decimal strings, absent is null.
 */
export interface Facts {
  model: 'facts-1';
  environment: Environment;
  /** The time that every rule and every decay is judged by. */
  decidedAt: string;
  clientId: string;
  actingPrincipalId: string | null;
  payment: PaymentFacts;
  /** Null when the agent does not exist or is not the caller's: one and the same to the judge. */
  agent: AgentFacts | null;
  principal: PrincipalFacts | null;
  program: ProgramFacts | null;
  /** Those that cover the rail, newest first, up to the first that is active at decidedAt. */
  mandates: MandateFacts[];
  thresholds: Thresholds;
  profile: ProfileFacts | null;
  limits: LimitFacts;
  /** What the short window said of the agent; absent where it could not be asked. */
  velocity?: VelocityFacts;
  /** Whether the agent was ever approved where it pays; absent where nothing depends on it. */
  merchantKnown?: boolean;
  /** How the payment compares with earlier ones; absent in records of releases before. */
  likeness?: Likeness;
  /** What the vi_chain says that came with the payment; absent where none did. */
  intent?: IntentFacts;
  /** Codes that the ledger found in the state of that chain; absent where it found none. */
  intentState?: string[];
  /** The ledger said so: as many challenges of the agent wait as may. Absent when it did not. */
  openChallengesFull?: true;
}

/** What can be said of a chain without state. */
export interface IntentFacts extends IntentVerdict {
  /** How users of its issuer are bound to a Principal; null where the issuer is not trusted. */
  subjectBinding: SubjectBinding | null;
}

/** The validated request with its defaults. */
export interface PaymentFacts {
  authorizationId: string;
  transactionId: string;
  /** The caller named the transaction, so it must be this Principal's. */
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
  crypto: CryptoTransferFacts | null;
  intentContext: IntentContextFacts;
  idempotencyKey: string | null;
  clientReference: string | null;
  references: ReferenceFacts;
  /** Of the validated body, and of the body as sent. */
  bodyHash: string;
  reqHash: string;
  runtimeEvidenceJson: string | null;
  metadataJson: string | null;
}

export interface CryptoTransferFacts {
  chain: string;
  asset: string;
  counterparty: string;
  fromAddress: string | null;
  value: string;
  operation: string;
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

/** `version` is what the ledger's fence compares: a proposal made from an older one is refused. */
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
  /** What may be paid by at all; absent in records of releases before, which did not ask. */
  rails?: string[];
  /** What was suspected is looked after: nothing to the judge. Absent where it is not. */
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
  /** It began when it was granted, by identity's clock; absent where it begins later. */
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

/** What the ledger said under its lock; no codes until it has contradicted a proposal. */
export interface LimitFacts {
  codes: string[];
  usage: UsageFacts | null;
}

/** Used and counted before the decision. */
export interface UsageFacts {
  day: string;
  month: string;
  dailyAmount: string;
  monthlyAmount: string;
  dailyCount: number;
  monthlyCount: number;
}
