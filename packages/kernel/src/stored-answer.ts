import { escapedMarkers } from './answer-marker.js';
import {
  type ClaimedDecision,
  type ClaimedTransfer,
  encodedClaims,
  encodedHeader,
  type JwsHeader,
} from './decision-claims.js';
import type { Environment } from './environment.js';

/**
 * What stands in a stored answer in place of its JWS: the signature, and the claims that the rest
 * of the answer does not state. The JWS itself is mostly repetition, and would be a third of every
 * record. Stored answers outlive a release: a changed list or changed claims need another layout
 * number, and this one stays readable.
 */
type StoredJws = [
  layout: typeof layout,
  signature: string,
  issuer: string,
  subject: string,
  environment: Environment,
  principalId: string,
  mandateHash: string | null,
  rail: string,
  amount: string,
  currency: string,
  merchantId: string | null,
  mcc: string | null,
  country: string | null,
  crypto: [chain: string, asset: string, counterparty: string, value: string] | null,
  viReference: string | null,
  reqHash: string,
];

const layout = 1;

/**
 * The JSON text to store in place of the JWS of these claims with this signature. It has no `prev`:
 * the attestation of an answer follows no other.
 */
export function storedJws(claimed: ClaimedDecision, signature: string): string {
  const { crypto } = claimed;
  const list: StoredJws = [
    layout,
    signature,
    claimed.issuer,
    claimed.subject,
    claimed.environment,
    claimed.principalId,
    claimed.mandateHash,
    claimed.rail,
    claimed.amount,
    claimed.currency,
    claimed.merchantId,
    claimed.mcc,
    claimed.country,
    crypto && [crypto.chain, crypto.asset, crypto.counterparty, crypto.value],
    claimed.viReference,
    claimed.reqHash,
  ];
  return listText(list);
}

/** Without the markers of an answer, for which no text of a caller may be taken. */
function listText(list: StoredJws): string {
  return escapedMarkers(JSON.stringify(list));
}

/** The members of an answer that its claims state again. */
interface StoredAnswer {
  authorization_id: string;
  transaction_id: string;
  correlation_key: string;
  decision: string;
  reason_codes: string[];
  agent_id: string;
  mandate_id: string | null;
  kya_score: number;
  trust_level: string;
  risk_score: number;
  intent_anomaly_score: number;
  cognitive_limit_multiplier: number;
  vi_verified: boolean;
  vi_mode: string | null;
  attestation: JwsHeader & { jws: StoredJws; issued_at: string; expires_at: string };
}

const member = '"jws":';
/** Occurs nowhere else: in a string value, its quotes are escaped. */
const listBegins = `${member}[`;

/**
 * The public answer, byte for byte as it was sent, from what the ledger stores. An answer without
 * attestation, or one that an earlier release stored with its whole JWS, is returned as it is.
 */
export function restoredAnswer(stored: string): string {
  const begin = stored.indexOf(listBegins);
  if (begin < 0) return stored;
  const answer = JSON.parse(stored) as StoredAnswer;
  const { jws: list } = answer.attestation;
  if (list[0] !== layout) throw new Error(`a stored answer has the unknown layout ${list[0]}`);
  const end = begin + member.length + listText(list).length;
  return `${stored.slice(0, begin)}${member}"${restoredJws(answer)}"${stored.slice(end)}`;
}

function restoredJws(answer: StoredAnswer): string {
  const { attestation } = answer;
  const [, signature] = attestation.jws;
  return `${encodedHeader(attestation)}.${encodedClaims(claimsIn(answer))}.${signature}`;
}

function claimsIn(answer: StoredAnswer): ClaimedDecision {
  const { issued_at, expires_at, jws } = answer.attestation;
  const [
    _layout,
    _signature,
    issuer,
    subject,
    environment,
    principalId,
    mandateHash,
    rail,
    amount,
    currency,
    merchantId,
    mcc,
    country,
    crypto,
    viReference,
    reqHash,
  ] = jws;
  return {
    issuer,
    subject,
    issuedAt: epochSeconds(issued_at),
    expiresAt: epochSeconds(expires_at),
    environment,
    authorizationId: answer.authorization_id,
    transactionId: answer.transaction_id,
    correlationKey: answer.correlation_key,
    decision: answer.decision,
    reasonCodes: answer.reason_codes,
    agentId: answer.agent_id,
    principalId,
    mandateId: answer.mandate_id,
    mandateHash,
    rail,
    amount,
    currency,
    merchantId,
    mcc,
    country,
    crypto: crypto && transferOf(crypto),
    kyaScore: answer.kya_score,
    trustLevel: answer.trust_level,
    riskScore: answer.risk_score,
    intentAnomalyScore: answer.intent_anomaly_score,
    cognitiveLimitMultiplier: answer.cognitive_limit_multiplier,
    viVerified: answer.vi_verified,
    viMode: answer.vi_mode,
    viReference,
    reqHash,
  };
}

function transferOf(list: NonNullable<StoredJws[13]>): ClaimedTransfer {
  const [chain, asset, counterparty, value] = list;
  return { chain, asset, counterparty, value };
}

function epochSeconds(isoTime: string): number {
  return Date.parse(isoTime) / 1_000;
}
