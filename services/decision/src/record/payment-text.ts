import type { IntentContextFacts, PaymentFacts, ReferenceFacts } from '../facts/shape.js';

/** With undefined instead of null, which JSON omits. */
type Sparse<T> = { [K in keyof T]: NonNullable<T[K]> | (null extends T[K] ? undefined : never) };

/** A payment as it is stored, without the members that are null, which most are. */
export interface StoredPayment extends Omit<Sparse<PaymentFacts>, 'intentContext' | 'references'> {
  intentContext: Sparse<IntentContextFacts>;
  references: Sparse<ReferenceFacts>;
}

const noContext: IntentContextFacts = {
  alternativesConsidered: null,
  confidence: null,
  intentType: null,
  interactionDepth: null,
  originalAuthorizationId: null,
  reasoningSummary: null,
  recurrenceNumber: null,
  sessionId: null,
  taskReference: '',
};

const noReferences: ReferenceFacts = {
  authCode: null,
  chainId: null,
  networkReference: null,
  networkRrn: null,
  networkStan: null,
  txHash: null,
};

type Optional = Omit<
  PaymentFacts,
  | 'amount'
  | 'authorizationId'
  | 'bodyHash'
  | 'currency'
  | 'rail'
  | 'reqHash'
  | 'transactionGiven'
  | 'transactionId'
>;

const nothingOptional: Optional = {
  agentDid: null,
  agentId: null,
  capability: null,
  clientReference: null,
  country: null,
  crypto: null,
  idempotencyKey: null,
  intentContext: noContext,
  mcc: null,
  merchantId: null,
  merchantName: null,
  metadataJson: null,
  references: noReferences,
  runtimeEvidenceJson: null,
};

/**
 * One object literal with members in the order of canonical JSON: adding only those that are not
 * null one by one costs five times as much, for every payment.
 */
export function storedPayment(payment: PaymentFacts): StoredPayment {
  return {
    agentDid: payment.agentDid ?? undefined,
    agentId: payment.agentId ?? undefined,
    amount: payment.amount,
    authorizationId: payment.authorizationId,
    bodyHash: payment.bodyHash,
    capability: payment.capability ?? undefined,
    clientReference: payment.clientReference ?? undefined,
    country: payment.country ?? undefined,
    crypto: payment.crypto ?? undefined,
    currency: payment.currency,
    idempotencyKey: payment.idempotencyKey ?? undefined,
    mcc: payment.mcc ?? undefined,
    merchantId: payment.merchantId ?? undefined,
    merchantName: payment.merchantName ?? undefined,
    metadataJson: payment.metadataJson ?? undefined,
    rail: payment.rail,
    reqHash: payment.reqHash,
    runtimeEvidenceJson: payment.runtimeEvidenceJson ?? undefined,
    transactionGiven: payment.transactionGiven,
    transactionId: payment.transactionId,
    intentContext: storedContext(payment.intentContext),
    references: storedReferences(payment.references),
  };
}

function storedContext(context: IntentContextFacts): Sparse<IntentContextFacts> {
  return {
    alternativesConsidered: context.alternativesConsidered ?? undefined,
    confidence: context.confidence ?? undefined,
    intentType: context.intentType ?? undefined,
    interactionDepth: context.interactionDepth ?? undefined,
    originalAuthorizationId: context.originalAuthorizationId ?? undefined,
    reasoningSummary: context.reasoningSummary ?? undefined,
    recurrenceNumber: context.recurrenceNumber ?? undefined,
    sessionId: context.sessionId ?? undefined,
    taskReference: context.taskReference,
  };
}

function storedReferences(references: ReferenceFacts): Sparse<ReferenceFacts> {
  return {
    authCode: references.authCode ?? undefined,
    chainId: references.chainId ?? undefined,
    networkReference: references.networkReference ?? undefined,
    networkRrn: references.networkRrn ?? undefined,
    networkStan: references.networkStan ?? undefined,
    txHash: references.txHash ?? undefined,
  };
}

/** The stored payment with its absent members as null again. */
export function restoredPayment(kept: StoredPayment): PaymentFacts {
  return {
    ...nothingOptional,
    ...(kept as PaymentFacts),
    intentContext: { ...noContext, ...(kept.intentContext as IntentContextFacts) },
    references: { ...noReferences, ...(kept.references as ReferenceFacts) },
  };
}
