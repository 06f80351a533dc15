import { withoutMarkers } from '@countersign/kernel/answer-marker';
import type { ClaimedDecision } from '@countersign/kernel/decision-claims';
import { formatAmount } from '@countersign/kernel/money';
import { correlationKey } from '../correlation-key.js';
import type { AgentFacts, Facts } from '../facts/shape.js';
import type { Verdict } from '../verdict.js';

/** How long third parties accept an APPROVE as proof. Auditors may ignore the expiry. */
const lifetimeSeconds = 900;

/** The decision about a known agent that an attestation states. */
export interface Statement {
  facts: Facts;
  verdict: Verdict;
  principalId: string;
  /** Epoch milliseconds of the decision. */
  at: number;
  /** `jti` of the attestation that this one follows. */
  prev?: string;
}

/** What the attestation states; see `encodedClaims` for how. */
export function claimedBy(
  { facts, verdict, principalId, at, prev }: Statement,
  agent: AgentFacts,
  issuer: string,
): ClaimedDecision {
  const { payment } = facts;
  const issuedAt = Math.floor(at / 1_000);
  return {
    issuer,
    subject: agent.did,
    issuedAt,
    expiresAt: issuedAt + lifetimeSeconds,
    environment: facts.environment,
    prev,
    authorizationId: payment.authorizationId,
    transactionId: payment.transactionId,
    correlationKey: withoutMarkers(correlationKey(payment)),
    decision: verdict.decision,
    reasonCodes: verdict.reasonCodes,
    agentId: agent.id,
    principalId,
    mandateId: verdict.mandate?.id ?? null,
    mandateHash: verdict.mandate?.mandateHash ?? null,
    rail: payment.rail,
    amount: formatAmount(payment.amount, payment.currency),
    currency: payment.currency,
    merchantId: payment.merchantId,
    mcc: payment.mcc,
    country: payment.country,
    crypto: payment.crypto,
    kyaScore: verdict.kyaScore,
    trustLevel: verdict.trustLevel,
    riskScore: verdict.risk.score,
    intentAnomalyScore: verdict.anomaly.score,
    cognitiveLimitMultiplier: verdict.cognitiveMultiplier,
    viVerified: verdict.viVerified,
    viMode: verdict.viMode,
    viReference: facts.intent?.evidence.reference ?? null,
    reqHash: payment.reqHash,
  };
}
