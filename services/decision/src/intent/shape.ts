import type { JsonWebKey } from 'node:crypto';

/** The vi_chain of a request, checked for shape and size by the gateway already. */
export interface IntentChain {
  l1: string;
  l2: string;
  l3Payment?: string;
  l3Checkout?: string;
  l2Checkout?: string;
}

/** The requested payment, which is compared with the chain. */
export interface IntentSubject {
  /** Decimal of the major unit, as everywhere in the service. */
  amount: string;
  currency: string;
  rail: 'CARD' | 'CRYPTO';
  merchantId: string | null;
  merchantName: string | null;
  mcc: string | null;
  country: string | null;
  crypto: {
    chain: string;
    asset: string;
    counterparty: string;
    fromAddress: string | null;
    value: string;
  } | null;
}

/** Input gathered beforehand: the issuer's keys, the agent's key, accepted audiences, the time. */
export interface IntentSurroundings {
  /** Epoch milliseconds. */
  now: number;
  issuer:
    | { state: 'found'; jwk: JsonWebKey; vct: string[] }
    | { state: 'untrusted' }
    | { state: 'unavailable' };
  /** RFC 7638, of the agent's registered P-256 key; null where it has none. */
  agentKeyThumbprint: string | null;
  agentDid: string;
  /** Accepted `aud` of L3, and of L2 besides the agent's DID. */
  audiences: string[];
  /** Accepted for L2 as well: the agent's registered URL. */
  l2Audiences: string[];
}

export interface IntentVerdict {
  /** True where everything verifies that can be checked without state. */
  verified: boolean;
  /** Known as soon as the signatures of L1 and L2 verified, whatever fails later. */
  mode: 'IMMEDIATE' | 'AUTONOMOUS' | null;
  /** VI_* in the order of the kernel's table of reasons; empty when verified. */
  codes: string[];
  /** One plain clause a code: what failed and what would pass; never text of a credential. */
  details: string[];
  /** What the ledger uses up in its transaction; null unless the signatures verify. */
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
  /** Epoch milliseconds: `exp` and the skew. */
  nonceExpiresAt: number;
  issuer: string;
  subject: string;
  userKeyThumbprint: string;
  /** Hex SHA-256 that neither the view shown nor the signature's spelling changes. */
  mandateKey: string;
  amountMinor: number;
  currency: string;
  /** Null: one live use, since the user set no agent_recurrence. */
  maxOccurrences: number | null;
  budgetMinor: number | null;
  /** Epoch milliseconds. */
  mandateExpiresAt: number;
}
