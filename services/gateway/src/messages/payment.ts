import { hash } from 'node:crypto';
import { canonicalHash, canonicalJson } from '@countersign/kernel/canonical';
import { newId } from '@countersign/kernel/id';
import type { AuthorizeRequestInput, PaymentInput } from '@countersign/proto/decision';
import type { RouteRequest } from '../request.js';
import type { AuthorizeBody } from '../schemas/payment.js';
import { jsonText } from './json-text.js';

type Asking = Pick<
  RouteRequest<unknown, unknown, AuthorizeBody>,
  'caller' | 'namedPrincipalId' | 'claim' | 'body' | 'sentBody'
>;

/** The request to decision; the ids minted here make every inner retry safe. */
export type AuthorizeMessage = AuthorizeRequestInput & {
  authorizationId: string;
  transactionId: string;
  bodyHash: string;
  payment: PaymentInput;
};

export function authorizeMessage(request: Asking): AuthorizeMessage {
  return {
    authorizationId: newId('authorization'),
    transactionId: newId('transaction'),
    clientId: request.caller.clientId,
    principalId: request.namedPrincipalId ?? undefined,
    claimedPrincipalId: request.claim?.principalId,
    payment: payment(request.body),
    bodyHash: canonicalHash(request.body),
    reqHash: requestHash(request.sentBody),
  };
}

/**
 * `req_hash` of an attestation: base64url SHA-256 over the canonical JSON of the body as sent,
 * without the parts that are evidence or notes rather than the request itself.
 */
export function requestHash(sentBody: unknown): string {
  const { vi_chain, runtime_evidence, metadata, ...rest } = sentBody as Record<string, unknown>;
  return hash('sha256', canonicalJson(rest), 'base64url');
}

function payment(body: AuthorizeBody): PaymentInput {
  return {
    agentId: body.agent_id,
    agentDid: body.agent_did,
    amount: body.amount,
    currency: body.currency,
    intentContext: intentContext(body.intent_context),
    mcc: body.mcc,
    merchantName: body.merchant_name,
    merchantId: body.merchant_id,
    country: body.country,
    capability: body.capability,
    rail: body.rail,
    crypto: body.crypto && transfer(body.crypto),
    viChainJson: jsonText(body.vi_chain),
    idempotencyKey: body.idempotency_key,
    clientReference: body.client_reference,
    transactionId: body.transaction_id,
    networkRrn: body.network_rrn,
    networkStan: body.network_stan,
    authCode: body.auth_code,
    networkReference: body.network_reference,
    txHash: body.tx_hash,
    chainId: body.chain_id?.toString(),
    runtimeEvidenceJson: jsonText(body.runtime_evidence),
    metadataJson: jsonText(body.metadata),
  };
}

function intentContext(intent: AuthorizeBody['intent_context']) {
  return {
    taskReference: intent.task_reference,
    intentType: intent.intent_type,
    reasoningSummary: intent.reasoning_summary,
    confidence: intent.confidence,
    alternativesConsidered: intent.alternatives_considered,
    interactionDepth: intent.interaction_depth,
    sessionId: intent.session_id,
    recurrenceNumber: intent.recurrence_number,
    originalAuthorizationId: intent.original_authorization_id,
  };
}

function transfer(crypto: NonNullable<AuthorizeBody['crypto']>) {
  return {
    chain: crypto.chain,
    asset: crypto.asset,
    counterparty: crypto.counterparty,
    fromAddress: crypto.from_address,
    value: crypto.value,
    operation: crypto.operation,
  };
}
