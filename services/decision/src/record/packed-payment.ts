import type { PaymentFacts } from '../facts/shape.js';
import {
  type PackedContext,
  type PackedReferences,
  packedContext,
  packedReferences,
  unpackedContext,
  unpackedReferences,
  withoutLastNulls,
} from './packed-context.js';

/**
 * A payment as it is stored: its values without the names, which would be a third of it, and
 * without the nulls at the end, since what is rarely given comes last. A transfer keeps its names,
 * because other services read it in the record (`recordedTransfer`). Records outlive the code: to
 * these lists, fields may be appended, never moved.
 */
export interface PackedPayment {
  values: [
    authorizationId: string,
    transactionId: string,
    transactionGiven: boolean,
    bodyHash: string,
    reqHash: string,
    amount: string,
    currency: string,
    rail: PaymentFacts['rail'],
    context: PackedContext,
    agentId?: string | null,
    mcc?: string | null,
    country?: string | null,
    merchantName?: string | null,
    merchantId?: string | null,
    clientReference?: string | null,
    idempotencyKey?: string | null,
    agentDid?: string | null,
    capability?: string | null,
    metadataJson?: string | null,
    runtimeEvidenceJson?: string | null,
    references?: PackedReferences | null,
  ];
  crypto?: NonNullable<PaymentFacts['crypto']>;
}

export function packedPayment(payment: PaymentFacts): PackedPayment {
  const references = packedReferences(payment.references);
  const values: PackedPayment['values'] = [
    payment.authorizationId,
    payment.transactionId,
    payment.transactionGiven,
    payment.bodyHash,
    payment.reqHash,
    payment.amount,
    payment.currency,
    payment.rail,
    packedContext(payment.intentContext),
    payment.agentId,
    payment.mcc,
    payment.country,
    payment.merchantName,
    payment.merchantId,
    payment.clientReference,
    payment.idempotencyKey,
    payment.agentDid,
    payment.capability,
    payment.metadataJson,
    payment.runtimeEvidenceJson,
    references.length > 0 ? references : null,
  ];
  withoutLastNulls(values);
  return payment.crypto ? { values, crypto: payment.crypto } : { values };
}

export function unpackedPayment({ values, crypto }: PackedPayment): PaymentFacts {
  const [
    authorizationId,
    transactionId,
    transactionGiven,
    bodyHash,
    reqHash,
    amount,
    currency,
    rail,
    context,
    agentId = null,
    mcc = null,
    country = null,
    merchantName = null,
    merchantId = null,
    clientReference = null,
    idempotencyKey = null,
    agentDid = null,
    capability = null,
    metadataJson = null,
    runtimeEvidenceJson = null,
    references = null,
  ] = values;
  return {
    authorizationId,
    transactionId,
    transactionGiven,
    agentId,
    agentDid,
    amount,
    currency,
    rail,
    mcc,
    merchantName,
    merchantId,
    country,
    capability,
    crypto: crypto ?? null,
    intentContext: unpackedContext(context),
    idempotencyKey,
    clientReference,
    references: unpackedReferences(references ?? []),
    bodyHash,
    reqHash,
    runtimeEvidenceJson,
    metadataJson,
  };
}
