import type { IntentContextFacts, PaymentFacts, ReferenceFacts } from './facts-shape.js';

type Sparse<T> = { [K in keyof T]?: NonNullable<T[K]> };

/** A payment as it is kept: what is null is absent, which most of it is. */
export interface KeptPayment extends Omit<Sparse<PaymentFacts>, 'intentContext' | 'references'> {
  intentContext?: Sparse<IntentContextFacts>;
  references?: Sparse<ReferenceFacts>;
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

export function keptPayment(payment: PaymentFacts): KeptPayment {
  const { intentContext, references, ...own } = payment;
  return Object.assign(present(own), {
    intentContext: present(intentContext),
    references: present(references),
  });
}

/** The payment that was kept, with what is absent as null again. */
export function wholePayment(kept: KeptPayment): PaymentFacts {
  return {
    ...nothingOptional,
    ...(kept as PaymentFacts),
    intentContext: { ...noContext, ...kept.intentContext },
    references: { ...noReferences, ...kept.references },
  };
}

/** A loop over names rather than entries: this is done for every payment. */
function present<T extends object>(values: T): Sparse<T> {
  const kept: Sparse<T> = {};
  for (const name in values) {
    const value = values[name];
    if (value !== null && value !== undefined) kept[name] = value as NonNullable<typeof value>;
  }
  return kept;
}
