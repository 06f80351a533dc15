import type { Environment } from './environment.js';

/** Everything that an attestation states about a decision. The amount is a decimal string. */
export interface ClaimedDecision {
  issuer: string;
  /** DID of the agent. */
  subject: string;
  /** Epoch seconds of the decision, and until when third parties accept it as proof. */
  issuedAt: number;
  expiresAt: number;
  environment: Environment;
  /** `jti` of the attestation that this one follows. */
  prev?: string | undefined;
  authorizationId: string;
  transactionId: string;
  correlationKey: string;
  decision: string;
  reasonCodes: readonly string[];
  agentId: string;
  principalId: string;
  mandateId: string | null;
  mandateHash: string | null;
  rail: string;
  amount: string;
  currency: string;
  merchantId: string | null;
  mcc: string | null;
  country: string | null;
  crypto: ClaimedTransfer | null;
  kyaScore: number;
  trustLevel: string;
  riskScore: number;
  intentAnomalyScore: number;
  cognitiveLimitMultiplier: number;
  viVerified: boolean;
  viMode: string | null;
  viReference: string | null;
  /** Base64url SHA-256 of the canonical request. */
  reqHash: string;
}

/** The crypto rail's part of a payment. */
interface ClaimedTransfer {
  chain: string;
  asset: string;
  counterparty: string;
  value: string;
}

/**
 * The claims of the JWT, in the order in which they are signed. No personal data and no free text
 * of the agent. Stored answers are completed by this function, so another order or another member
 * needs another layout there (`stored-answer.ts`).
 */
function decisionClaims(claimed: ClaimedDecision) {
  return {
    iss: claimed.issuer,
    sub: claimed.subject,
    jti: claimed.authorizationId,
    iat: claimed.issuedAt,
    exp: claimed.expiresAt,
    env: claimed.environment,
    ver: 1,
    ...(claimed.prev !== undefined && { prev: claimed.prev }),
    dec: decided(claimed),
    req_hash: claimed.reqHash,
    req_hash_alg: 'sha-256;jcs',
  };
}

function decided(claimed: ClaimedDecision) {
  const { viVerified: verified, viMode: mode, viReference: reference } = claimed;
  return {
    authorization_id: claimed.authorizationId,
    transaction_id: claimed.transactionId,
    correlation_key: claimed.correlationKey,
    decision: claimed.decision,
    reason_codes: claimed.reasonCodes,
    agent_id: claimed.agentId,
    principal_id: claimed.principalId,
    mandate_id: claimed.mandateId,
    mandate_hash: claimed.mandateHash,
    ...paid(claimed),
    kya_score: claimed.kyaScore,
    trust_level: claimed.trustLevel,
    risk_score: claimed.riskScore,
    intent_anomaly_score: claimed.intentAnomalyScore,
    cognitive_limit_multiplier: claimed.cognitiveLimitMultiplier,
    vi: { verified, mode, reference },
  };
}

function paid({ rail, amount, currency, merchantId, mcc, country, crypto }: ClaimedDecision) {
  return {
    rail,
    amount,
    currency,
    ...(merchantId !== null && { merchant_id: merchantId }),
    ...(mcc !== null && { mcc }),
    ...(country !== null && { country }),
    ...(crypto && { crypto: transferred(crypto) }),
  };
}

function transferred({ chain, asset, counterparty, value }: ClaimedTransfer): ClaimedTransfer {
  return { chain, asset, counterparty, value };
}

/** The protected header of the JWS. */
export interface JwsHeader {
  alg: string;
  typ: string;
  kid: string;
}

/** The first part of a JWS. */
export function encodedHeader({ alg, typ, kid }: JwsHeader): string {
  return encodedPart({ alg, typ, kid });
}

/** The second part of a JWS. */
export function encodedClaims(claimed: ClaimedDecision): string {
  return encodedPart(decisionClaims(claimed));
}

function encodedPart(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}
