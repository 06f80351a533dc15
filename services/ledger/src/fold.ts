import { isoTime } from '@countersign/kernel/clock';
import { Decimal } from '@countersign/kernel/money';
import type { AuthorizationEntry, DecisionStep, StepUp } from '@countersign/proto/ledger';
import type { ListedRecord, RecordWithAnswer, RecordWithFacts } from './authorization.js';

/** Who made the decisions that no human made. */
const engine = 'system';

/**
 * The log entry is the record and everything appended to it, folded. Nothing of it is stored, so
 * nothing of it can disagree with what was recorded.
 */
export function foldEntry(record: ListedRecord, now: number): AuthorizationEntry {
  const history = decisionHistory(record);
  const current = history[history.length - 1];
  const stepUp = foldStepUp(record, now);
  return {
    ...identityOf(record),
    decision: current?.decision ?? record.decision,
    reasonCodes: current?.reasonCodes ?? record.reasonCodes,
    amount: record.amount.toFixed(record.exponent),
    currency: record.currency,
    ...paymentOf(record),
    kyaScore: record.kyaScore,
    trustLevel: record.trustLevel,
    riskScore: record.riskScore,
    viVerified: record.viVerified,
    processingTimeMs: record.processingTimeMs,
    decisionHistory: history,
    ...(stepUp && { stepUp }),
    reversedAmount: reversedAmount(record).toFixed(record.exponent),
    ...present({ mandateHash: record.mandateHash, attestationJson: currentAttestation(record) }),
    createdAt: isoTime(record.createdAt.getTime()),
    factsJson: '',
    policyHash: record.policyHash,
    inputHash: record.inputHash,
    answer: '',
  };
}

/** With the decision input and the answer as it was given: for single reads. */
export function foldWholeEntry(record: RecordWithFacts, now: number): AuthorizationEntry {
  return { ...foldEntry(record, now), factsJson: record.facts, answer: record.answer };
}

/** What the decision is now: a confirmed challenge approves, a denied one declines. */
export function currentDecision(record: RecordWithAnswer): string {
  return decisionHistory(record).at(-1)?.decision ?? record.decision;
}

function decisionHistory(record: RecordWithAnswer): DecisionStep[] {
  const { decision, reasonCodes, createdAt, stepUpAnswer } = record;
  const first = { decision, reasonCodes, at: isoTime(createdAt.getTime()), by: engine };
  if (!stepUpAnswer) return [first];
  const confirmed = stepUpAnswer.status === 'CONFIRMED';
  const answer = {
    decision: confirmed ? 'APPROVE' : 'DECLINE',
    at: isoTime(stepUpAnswer.answeredAt.getTime()),
    by: stepUpAnswer.answeredBy,
    reasonCodes: [confirmed ? 'STEP_UP_CONFIRMED' : 'STEP_UP_DENIED'],
  };
  return [first, answer];
}

/** Nobody writes that a challenge expired: it has, once its time is over and nobody answered. */
function foldStepUp(
  { stepUpExpiresAt, stepUpAnswer }: RecordWithAnswer,
  now: number,
): StepUp | null {
  if (!stepUpExpiresAt) return null;
  const expiresAt = isoTime(stepUpExpiresAt.getTime());
  if (!stepUpAnswer) {
    return { status: now >= stepUpExpiresAt.getTime() ? 'EXPIRED' : 'PENDING', expiresAt };
  }
  const resolvedAt = isoTime(stepUpAnswer.answeredAt.getTime());
  return {
    status: stepUpAnswer.status,
    expiresAt,
    resolvedAt,
    resolvedBy: stepUpAnswer.answeredBy,
  };
}

function reversedAmount({ reversals }: ListedRecord): Decimal {
  return reversals.reduce((sum, { amount }) => sum.plus(amount.toFixed()), new Decimal(0));
}

/** Signed anew with a confirmation; else the one in the answer. */
function currentAttestation({ stepUpAnswer, answer }: RecordWithAnswer): string | null {
  if (stepUpAnswer?.attestation) return stepUpAnswer.attestation;
  const { attestation } = JSON.parse(answer) as { attestation?: object | null };
  return attestation ? JSON.stringify(attestation) : null;
}

function identityOf(record: RecordWithAnswer) {
  return {
    id: record.id,
    clientId: record.clientId,
    principalId: record.principalId,
    ...present({ agentId: record.agentId, mandateId: record.mandateId }),
    transactionId: record.transactionId,
    correlationKey: record.correlationKey,
  };
}

function paymentOf(record: RecordWithAnswer) {
  return {
    rail: record.rail,
    ...present({
      mcc: record.mcc,
      country: record.country,
      merchantId: record.merchantId,
      merchantName: record.merchantName,
      clientReference: record.clientReference,
    }),
  };
}

/** What is null in the database is absent on the wire. */
function present<T extends Record<string, string | null>>(
  values: T,
): { [K in keyof T]?: NonNullable<T[K]> } {
  const kept = Object.entries(values).filter(([, value]) => value !== null);
  return Object.fromEntries(kept) as { [K in keyof T]?: NonNullable<T[K]> };
}
