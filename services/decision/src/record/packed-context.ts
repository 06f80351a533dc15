import type { IntentContextFacts, ReferenceFacts } from '../facts/shape.js';

// Fields may be appended to these lists, never moved: see PackedPayment.
export type PackedContext = [
  taskReference: string,
  intentType?: string | null,
  reasoningSummary?: string | null,
  confidence?: number | null,
  sessionId?: string | null,
  alternativesConsidered?: number | null,
  interactionDepth?: number | null,
  recurrenceNumber?: number | null,
  originalAuthorizationId?: string | null,
];

export type PackedReferences = [
  networkRrn?: string | null,
  networkStan?: string | null,
  authCode?: string | null,
  networkReference?: string | null,
  txHash?: string | null,
  chainId?: string | null,
];

export function packedContext(context: IntentContextFacts): PackedContext {
  return withoutLastNulls<PackedContext>([
    context.taskReference,
    context.intentType,
    context.reasoningSummary,
    context.confidence,
    context.sessionId,
    context.alternativesConsidered,
    context.interactionDepth,
    context.recurrenceNumber,
    context.originalAuthorizationId,
  ]);
}

export function packedReferences(references: ReferenceFacts): PackedReferences {
  return withoutLastNulls<PackedReferences>([
    references.networkRrn,
    references.networkStan,
    references.authCode,
    references.networkReference,
    references.txHash,
    references.chainId,
  ]);
}

/** Removes them in place. */
export function withoutLastNulls<List extends unknown[]>(list: List): List {
  while (list.length > 0 && list[list.length - 1] === null) list.pop();
  return list;
}

export function unpackedContext(list: PackedContext): IntentContextFacts {
  const [
    taskReference,
    intentType = null,
    reasoningSummary = null,
    confidence = null,
    sessionId = null,
    alternativesConsidered = null,
    interactionDepth = null,
    recurrenceNumber = null,
    originalAuthorizationId = null,
  ] = list;
  return {
    taskReference,
    intentType,
    reasoningSummary,
    confidence,
    alternativesConsidered,
    interactionDepth,
    sessionId,
    recurrenceNumber,
    originalAuthorizationId,
  };
}

export function unpackedReferences(list: PackedReferences): ReferenceFacts {
  const [
    networkRrn = null,
    networkStan = null,
    authCode = null,
    networkReference = null,
    txHash = null,
    chainId = null,
  ] = list;
  return { networkRrn, networkStan, authCode, networkReference, txHash, chainId };
}
