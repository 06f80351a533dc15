import { Fault } from '@countersign/kernel/fault';
import type {
  AuthorizeRequest,
  CryptoTransfer,
  IntentContext,
  Payment,
} from '@countersign/proto/decision';
import type { CryptoTransferFacts, IntentContextFacts, PaymentFacts } from './facts-shape.js';

/** The validated request as facts: what was not sent is null. */
export function paymentFacts(request: AuthorizeRequest): PaymentFacts {
  const { payment } = request;
  if (!payment) {
    throw new Fault('internal', { code: 'INTERNAL_ERROR', message: 'a payment without a body' });
  }
  return {
    authorizationId: request.authorizationId,
    transactionId: payment.transactionId ?? request.transactionId,
    transactionGiven: payment.transactionId !== undefined,
    agentId: payment.agentId ?? null,
    agentDid: payment.agentDid ?? null,
    amount: payment.amount,
    currency: payment.currency,
    rail: payment.rail === 'CRYPTO' ? 'CRYPTO' : 'CARD',
    mcc: payment.mcc ?? null,
    merchantName: payment.merchantName ?? null,
    merchantId: payment.merchantId ?? null,
    country: payment.country ?? null,
    capability: payment.capability ?? null,
    crypto: payment.crypto ? cryptoTransferFacts(payment.crypto) : null,
    intentContext: intentContextFacts(payment.intentContext),
    idempotencyKey: payment.idempotencyKey ?? null,
    clientReference: payment.clientReference ?? null,
    references: references(payment),
    bodyHash: request.bodyHash,
    reqHash: request.reqHash,
    runtimeEvidenceJson: payment.runtimeEvidenceJson ?? null,
    metadataJson: payment.metadataJson ?? null,
  };
}

function cryptoTransferFacts(transfer: CryptoTransfer): CryptoTransferFacts {
  const { chain, asset, counterparty, value, operation } = transfer;
  const fromAddress = transfer.fromAddress ?? null;
  return { chain, asset, counterparty, fromAddress, value, operation: operation || 'transfer' };
}

function intentContextFacts(context: IntentContext | null): IntentContextFacts {
  return {
    taskReference: context?.taskReference ?? '',
    intentType: context?.intentType ?? null,
    reasoningSummary: context?.reasoningSummary ?? null,
    confidence: context?.confidence ?? null,
    alternativesConsidered: context?.alternativesConsidered ?? null,
    interactionDepth: context?.interactionDepth ?? null,
    sessionId: context?.sessionId ?? null,
    recurrenceNumber: context?.recurrenceNumber ?? null,
    originalAuthorizationId: context?.originalAuthorizationId ?? null,
  };
}

function references(payment: Payment): PaymentFacts['references'] {
  return {
    networkRrn: payment.networkRrn ?? null,
    networkStan: payment.networkStan ?? null,
    authCode: payment.authCode ?? null,
    networkReference: payment.networkReference ?? null,
    txHash: payment.txHash ?? null,
    chainId: payment.chainId ?? null,
  };
}
