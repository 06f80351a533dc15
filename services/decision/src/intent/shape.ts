import type { JsonWebKey } from 'node:crypto';

/** The vi_chain of a request. The gateway has checked its shape and size. */
export interface IntentChain {
  l1: string;
  l2: string;
  l3Payment?: string;
  l3Checkout?: string;
  l2Checkout?: string;
}

/** The requested payment, which is compared with the chain. */
export interface IntentSubject {
  /** Decimal string in major units. */
  amount: string;
  currency: string;
  merchantId: string | null;
  merchantName: string | null;
  mcc: string | null;
  country: string | null;
  crypto: {
    chain: string;
    asset: string;
    counterparty: string;
    fromAddress: string | null;
  } | null;
}

/** All other input of the verification, gathered beforehand so that verification is pure. */
export interface IntentSurroundings {
  /** Epoch milliseconds. */
  now: number;
  issuer:
    | { state: 'found'; jwk: JsonWebKey; vct: string[] }
    | { state: 'untrusted' }
    | { state: 'unavailable' };
  /** RFC 7638 thumbprint of the agent's registered P-256 key; null if none is registered. */
  agentKeyThumbprint: string | null;
  agentDid: string;
  /** Accepted values of `aud`; in L2 the agent's DID is accepted as well. */
  audiences: string[];
}

export interface IntentVerdict {
  /** Whether every check passed that needs no state. */
  verified: boolean;
  /** Set once the signatures of L1 and L2 have been verified, whatever fails later. */
  mode: 'IMMEDIATE' | 'AUTONOMOUS' | null;
  /** VI_* codes in the kernel's order of precedence; empty if verified. */
  codes: string[];
  /**
   * What failed, one clause per code; never text of a credential, which could be personal data.
   */
  details: string[];
  /** What the ledger consumes in its transaction; null unless the signatures are valid. */
  claim: IntentClaim | null;
  evidence: {
    l1Hash: string;
    l2Hash: string;
    l3Hash: string | null;
    issuer: string | null;
    subject: string | null;
    reference: string | null;
    transactionRef: string | null;
  };
}

export interface IntentClaim {
  signerThumbprint: string;
  nonce: string;
  /** Epoch milliseconds, including the tolerated clock skew. */
  nonceExpiresAt: number;
  issuer: string;
  subject: string;
  userKeyThumbprint: string;
  /**
   * Hex SHA-256 that depends neither on the disclosures presented nor on the signature's encoding.
   */
  mandateKey: string;
  amountMinor: number;
  currency: string;
  /** Null: a single use, since the user set no agent_recurrence. */
  maxOccurrences: number | null;
  budgetMinor: number | null;
}
