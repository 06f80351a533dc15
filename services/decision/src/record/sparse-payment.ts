import type { IntentContextFacts, PaymentFacts, ReferenceFacts } from '../facts/shape.js';

/** With undefined instead of null, which JSON omits. */
type Sparse<T> = { [K in keyof T]: NonNullable<T[K]> | (null extends T[K] ? undefined : never) };

/** A payment as earlier releases stored it, without the members that are null. */
export interface SparsePayment extends Omit<Sparse<PaymentFacts>, 'intentContext' | 'references'> {
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

/** The stored payment with its absent members as null again. */
export function restoredPayment(kept: SparsePayment): PaymentFacts {
  return {
    ...nothingOptional,
    ...(kept as PaymentFacts),
    intentContext: { ...noContext, ...(kept.intentContext as IntentContextFacts) },
    references: { ...noReferences, ...(kept.references as ReferenceFacts) },
  };
}
