import type { AnswerColumns } from './answer-columns.js';
import { escapedMarkers } from './answer-marker.js';
import {
  type ClaimedDecision,
  type ClaimedTransfer,
  encodedClaims,
  encodedHeader,
  type JwsHeader,
} from './decision-claims.js';
import type { Environment } from './environment.js';
import { type PackedAnswer, packedLayout, packedLength, unpackedAnswer } from './packed-answer.js';

/**
 * What stands in an answer that an earlier release stored, in place of its JWS: the signature, and
 * the claims that the rest of the answer does not state.
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
 * The public answer, byte for byte as it was sent, from what the ledger stores and the columns
 * beside it. Where the database looked the answer up, it has put the columns before it. An answer
 * that is stored as it was sent is returned as it is: that of a fail-safe DECLINE, and those of
 * earlier releases.
 */
export function restoredAnswer(stored: string, columns?: AnswerColumns): string {
  if (stored.startsWith('[')) return unpackedWith(columns, JSON.parse(stored));
  return restoredClaims(stored);
}

type Packed = PackedAnswer | [columns: AnswerColumns, packed: PackedAnswer];

function unpackedWith(columns: AnswerColumns | undefined, stored: Packed): string {
  if (typeof stored[0] === 'object')
    return unpackedWith(...(stored as [AnswerColumns, PackedAnswer]));
  if (stored[0] !== packedLayout) throw unknownLayout(stored[0]);
  const { length }: readonly unknown[] = stored;
  if (length !== packedLength)
    throw new Error(`a stored answer has ${length} values, not ${packedLength}`);
  if (!columns) throw new Error('a stored answer came without its columns');
  return unpackedAnswer(stored as PackedAnswer, columns);
}

function unknownLayout(number: unknown): Error {
  return new Error(`a stored answer has the unknown layout ${number}`);
}

/** The same for one that has a list in place of its JWS. */
function restoredClaims(stored: string): string {
  const begin = stored.indexOf(listBegins);
  if (begin < 0) return stored;
  const answer = JSON.parse(stored) as StoredAnswer;
  const { jws: list } = answer.attestation;
  if (list[0] !== layout) throw unknownLayout(list[0]);
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
