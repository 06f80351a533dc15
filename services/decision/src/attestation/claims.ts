import { withoutMarkers } from '@countersign/kernel/answer';
import type { Environment } from '@countersign/kernel/environment';
import { formatAmount } from '@countersign/kernel/money';
import { correlationKey } from '../correlation-key.js';
import type { AgentFacts, Facts, PaymentFacts } from '../facts-shape.js';
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

/** Different issuers, so that a verifier of live decisions refuses those of the sandbox. */
export function issuerOf(baseUrl: string, environment: Environment): string {
  return environment === 'live' ? baseUrl : `${baseUrl}/sandbox`;
}

/** The claims of the JWT. No personal data and no free text of the agent. */
export function claimsOf(statement: Statement, agent: AgentFacts, issuer: string) {
  const { facts, at, prev } = statement;
  const iat = Math.floor(at / 1_000);
  return {
    iss: issuer,
    sub: agent.did,
    jti: facts.payment.authorizationId,
    iat,
    exp: iat + lifetimeSeconds,
    env: facts.environment,
    ver: 1,
    ...(prev !== undefined && { prev }),
    dec: decided(statement, agent),
    req_hash: facts.payment.reqHash,
    req_hash_alg: 'sha-256;jcs',
  };
}

function decided({ facts, verdict, principalId }: Statement, agent: AgentFacts) {
  const { payment } = facts;
  return {
    authorization_id: payment.authorizationId,
    transaction_id: payment.transactionId,
    correlation_key: withoutMarkers(correlationKey(payment)),
    decision: verdict.decision,
    reason_codes: verdict.reasonCodes,
    agent_id: agent.id,
    principal_id: principalId,
    mandate_id: verdict.mandate?.id ?? null,
    mandate_hash: verdict.mandate?.mandateHash ?? null,
    ...paid(payment),
    kya_score: verdict.kyaScore,
    trust_level: verdict.trustLevel,
    risk_score: verdict.risk.score,
    intent_anomaly_score: verdict.anomaly.score,
    cognitive_limit_multiplier: verdict.cognitiveMultiplier,
    vi: {
      verified: verdict.viVerified,
      mode: verdict.viMode,
      reference: facts.intent?.evidence.reference ?? null,
    },
  };
}

function paid({ rail, amount, currency, merchantId, mcc, country, crypto }: PaymentFacts) {
  return {
    rail,
    amount: formatAmount(amount, currency),
    currency,
    ...(merchantId !== null && { merchant_id: merchantId }),
    ...(mcc !== null && { mcc }),
    ...(country !== null && { country }),
    ...(crypto && {
      crypto: {
        chain: crypto.chain,
        asset: crypto.asset,
        counterparty: crypto.counterparty,
        value: crypto.value,
      },
    }),
  };
}
