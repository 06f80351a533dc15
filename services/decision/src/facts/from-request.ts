import { Fault } from '@countersign/kernel/fault';
import type { RecordedTransfer } from '@countersign/kernel/recorded-transfer';
import type {
  AuthorizeRequest,
  CryptoTransfer,
  IntentContext,
  Payment,
} from '@countersign/proto/decision';
import type { IntentContextFacts, PaymentFacts } from './shape.js';

/** The acting Principal, and whether it is only claimed: not yet checked to be the Client's. */
export function actingPrincipal({ principalId, claimedPrincipalId }: AuthorizeRequest) {
  return {
    principalId: principalId ?? claimedPrincipalId ?? null,
    claimed: principalId === undefined && claimedPrincipalId !== undefined,
  };
}

/** The validated request as facts; fields that were not sent are null. */
export function paymentFacts(request: AuthorizeRequest): PaymentFacts {
  const { payment } = request;
  if (!payment) {
    throw new Fault('internal', { message: 'a payment without a body' });
  }
  return {
    agentDid: payment.agentDid ?? null,
    agentId: payment.agentId ?? null,
    amount: payment.amount,
    authorizationId: request.authorizationId,
    bodyHash: request.bodyHash,
    capability: payment.capability ?? null,
    clientReference: payment.clientReference ?? null,
    country: payment.country ?? null,
    crypto: payment.crypto ? cryptoTransferFacts(payment.crypto) : null,
    currency: payment.currency,
    idempotencyKey: payment.idempotencyKey ?? null,
    intentContext: intentContextFacts(payment.intentContext),
    mcc: payment.mcc ?? null,
    merchantId: payment.merchantId ?? null,
    merchantName: payment.merchantName ?? null,
    metadataJson: payment.metadataJson ?? null,
    rail: payment.rail === 'CRYPTO' ? 'CRYPTO' : 'CARD',
    references: references(payment),
    reqHash: request.reqHash,
    runtimeEvidenceJson: payment.runtimeEvidenceJson ?? null,
    transactionGiven: payment.transactionId !== undefined,
    transactionId: payment.transactionId ?? request.transactionId,
  };
}

function cryptoTransferFacts(transfer: CryptoTransfer): RecordedTransfer {
  const { chain, asset, counterparty, value, operation } = transfer;
  const fromAddress = transfer.fromAddress ?? null;
  return { asset, chain, counterparty, fromAddress, operation: operation || 'transfer', value };
}

function intentContextFacts(context: IntentContext | null): IntentContextFacts {
  return {
    alternativesConsidered: context?.alternativesConsidered ?? null,
    confidence: context?.confidence ?? null,
    intentType: context?.intentType ?? null,
    interactionDepth: context?.interactionDepth ?? null,
    originalAuthorizationId: context?.originalAuthorizationId ?? null,
    reasoningSummary: context?.reasoningSummary ?? null,
    recurrenceNumber: context?.recurrenceNumber ?? null,
    sessionId: context?.sessionId ?? null,
    taskReference: context?.taskReference ?? '',
  };
}

function references(payment: Payment): PaymentFacts['references'] {
  return {
    authCode: payment.authCode ?? null,
    chainId: payment.chainId ?? null,
    networkReference: payment.networkReference ?? null,
    networkRrn: payment.networkRrn ?? null,
    networkStan: payment.networkStan ?? null,
    txHash: payment.txHash ?? null,
  };
}
