import type { AnswerFields } from './answer.js';
import type { AnswerColumns } from './answer-columns.js';
import { withoutMarkers } from './answer-marker.js';
import { type Attestation, attestationHeader, attestationOf, issuerOf } from './attestation.js';
import { type ClaimedDecision, encodedClaims } from './decision-claims.js';
import type { Environment } from './environment.js';

/** The signature, and the claims that neither the columns nor the answer state. */
export type PackedAttestation = [
  kid: string,
  signature: string,
  baseUrl: string,
  environment: Environment,
  subject: string,
  issuedAt: number,
  /** Seconds. */
  lifetime: number,
  amount: string,
  crypto: [chain: string, asset: string, counterparty: string, value: string] | null,
  viReference: string | null,
  reqHash: string,
];

/** A signed decision, and what is needed to repeat its attestation. */
export interface Signed {
  attestation: Attestation;
  packed: PackedAttestation;
}

export function signedAs(
  claimed: ClaimedDecision,
  { kid, baseUrl, input, signature }: { kid: string; baseUrl: string } & SignedText,
): Signed {
  const { subject, environment, issuedAt, expiresAt, amount, crypto } = claimed;
  const attestation = attestationOf({ kid, input, signature, baseUrl, issuedAt, expiresAt });
  return {
    attestation,
    packed: [
      kid,
      signature,
      baseUrl,
      environment,
      subject,
      issuedAt,
      expiresAt - issuedAt,
      amount,
      crypto && [crypto.chain, crypto.asset, crypto.counterparty, crypto.value],
      claimed.viReference,
      claimed.reqHash,
    ],
  };
}

interface SignedText {
  /** Header and claims. */
  input: string;
  signature: string;
}

/** The attestation of a stored answer, byte for byte as it was signed. */
export function repeatedAttestation(
  packed: PackedAttestation,
  fields: AnswerFields,
  columns: AnswerColumns,
): Attestation {
  const [kid, signature, baseUrl, , , issuedAt, lifetime] = packed;
  const expiresAt = issuedAt + lifetime;
  const input = `${attestationHeader(kid)}.${encodedClaims(claimedIn(packed, fields, columns))}`;
  return attestationOf({ kid, input, signature, baseUrl, issuedAt, expiresAt });
}

function claimedIn(
  packed: PackedAttestation,
  fields: AnswerFields,
  columns: AnswerColumns,
): ClaimedDecision {
  const [, , baseUrl, environment, subject, issuedAt, lifetime, amount, crypto, ...last] = packed;
  const [viReference, reqHash] = last;
  const [chain = '', asset = '', counterparty = '', value = ''] = crypto ?? [];
  return {
    issuer: issuerOf(baseUrl, environment),
    subject,
    issuedAt,
    expiresAt: issuedAt + lifetime,
    environment,
    authorizationId: columns.id,
    transactionId: columns.transactionId,
    correlationKey: withoutMarkers(columns.correlationKey),
    decision: columns.decision,
    reasonCodes: columns.reasonCodes,
    agentId: columns.agentId ?? '',
    principalId: columns.principalId,
    mandateId: columns.mandateId,
    mandateHash: columns.mandateHash,
    rail: columns.rail,
    amount,
    currency: columns.currency,
    merchantId: columns.merchantId,
    mcc: columns.mcc,
    country: columns.country,
    crypto: crypto && { chain, asset, counterparty, value },
    kyaScore: columns.kyaScore,
    trustLevel: columns.trustLevel,
    riskScore: columns.riskScore,
    intentAnomalyScore: fields.intentAnomalyScore,
    cognitiveLimitMultiplier: fields.cognitiveLimitMultiplier,
    viVerified: columns.viVerified,
    viMode: fields.viMode,
    viReference,
    reqHash,
  };
}
