import { isoTime } from '@countersign/kernel/clock';
import { failSafeCode } from '@countersign/kernel/fail-safe';
import { Decimal } from '@countersign/kernel/money';
import { restoredAnswer } from '@countersign/kernel/stored-answer';
import type { AuthorizationEntry, DecisionStep, StepUp } from '@countersign/proto/ledger';
import type { FullRecord, ListedRecord, RecordWithAnswer } from './authorization.js';
import { recordedAmount } from './recorded-amount.js';

/** The author of automated decisions in the history. */
const engine = 'system';

/**
 * Folds a record and everything appended to it into the public log entry. The entry itself is
 * never stored, so it cannot disagree with what was recorded.
 */
export function foldEntry(record: ListedRecord, now: number): AuthorizationEntry {
  const history = decisionHistory(record);
  const current = history[history.length - 1];
  const stepUp = foldStepUp(record, now);
  return {
    ...identityOf(record),
    decision: current?.decision ?? record.decision,
    reasonCodes: current?.reasonCodes ?? record.reasonCodes,
    amount: recordedAmount(record),
    currency: record.currency,
    ...paymentOf(record),
    ...referencesOf(record),
    kyaScore: record.kyaScore,
    trustLevel: record.trustLevel,
    riskScore: record.riskScore,
    viVerified: record.viVerified,
    processingTimeMs: record.processingTimeMs,
    decisionHistory: history,
    stepUp,
    reversedAmount: recordedAmount({ ...record, amount: reversedAmount(record) }),
    mandateHash: record.mandateHash ?? undefined,
    attestationJson: currentAttestation(record) ?? undefined,
    createdAt: isoTime(record.createdAt.getTime()),
    factsJson: '',
    policyHash: record.policyHash,
    inputHash: record.inputHash,
    answer: '',
  };
}

/** Includes the decision input and the answer, for reads of a single entry. */
export function foldFullEntry(record: FullRecord, now: number): AuthorizationEntry {
  // Restored once: for the entry it is then as it was sent.
  const answer = currentAnswer(record);
  return {
    ...foldEntry({ ...record, answer }, now),
    factsJson: record.facts,
    basisJson: record.basis ?? undefined,
    thresholdsJson: record.thresholds ?? undefined,
    answer,
  };
}

/** The current decision: APPROVE after a confirmed challenge, DECLINE after a denial or a void. */
export function currentDecision(record: RecordWithAnswer): string {
  return decisionHistory(record).at(-1)?.decision ?? record.decision;
}

function decisionHistory(record: RecordWithAnswer): DecisionStep[] {
  const { decision, reasonCodes, createdAt } = record;
  const first = { decision, reasonCodes, at: isoTime(createdAt.getTime()), by: engine };
  return [first, ...answerStep(record), ...voidStep(record)];
}

function answerStep({ stepUpAnswer }: RecordWithAnswer): DecisionStep[] {
  if (!stepUpAnswer) return [];
  const confirmed = stepUpAnswer.status === 'CONFIRMED';
  const answer = {
    decision: confirmed ? 'APPROVE' : 'DECLINE',
    at: isoTime(stepUpAnswer.answeredAt.getTime()),
    by: stepUpAnswer.answeredBy,
    reasonCodes: [confirmed ? 'STEP_UP_CONFIRMED' : 'STEP_UP_DENIED'],
  };
  return [answer];
}

/** Empty if the record was a fail-safe DECLINE too: then the void only replaced its answer. */
function voidStep({ systemVoid, reasonCodes }: RecordWithAnswer): DecisionStep[] {
  if (!systemVoid || reasonCodes.includes(failSafeCode)) return [];
  const at = isoTime(systemVoid.createdAt.getTime());
  return [{ decision: 'DECLINE', at, by: engine, reasonCodes: [failSafeCode] }];
}

/** The answer that the caller received, byte for byte. */
function currentAnswer(record: RecordWithAnswer): string {
  return record.systemVoid?.answer ?? restoredAnswer(record.answer, record);
}

/** EXPIRED is not stored, but follows from the clock. A voided challenge is DENIED. */
function foldStepUp(
  { stepUpExpiresAt, stepUpAnswer, systemVoid }: RecordWithAnswer,
  now: number,
): StepUp | null {
  if (!stepUpExpiresAt) return null;
  const expiresAt = isoTime(stepUpExpiresAt.getTime());
  if (!stepUpAnswer && systemVoid) {
    const resolvedAt = isoTime(systemVoid.createdAt.getTime());
    return { status: 'DENIED', expiresAt, resolvedAt, resolvedBy: engine };
  }
  if (!stepUpAnswer) {
    return { status: now >= stepUpExpiresAt.getTime() ? 'EXPIRED' : 'PENDING', expiresAt };
  }
  const resolvedAt = isoTime(stepUpAnswer.answeredAt.getTime());
  return {
    status: stepUpAnswer.status,
    expiresAt,
    resolvedAt,
    resolvedBy: stepUpAnswer.answeredBy,
    reason: stepUpAnswer.reason ?? undefined,
  };
}

function reversedAmount({ reversals }: ListedRecord): Decimal {
  return reversals.reduce((sum, { amount }) => sum.plus(amount.toFixed()), new Decimal(0));
}

/** The attestation signed at the confirmation, else that of the answer. A void has none. */
function currentAttestation(record: RecordWithAnswer): string | null {
  const { stepUpAnswer, systemVoid } = record;
  if (stepUpAnswer?.attestation && !systemVoid) return stepUpAnswer.attestation;
  const { attestation } = JSON.parse(currentAnswer(record)) as { attestation?: object | null };
  return attestation ? JSON.stringify(attestation) : null;
}

function identityOf(record: RecordWithAnswer) {
  return {
    id: record.id,
    clientId: record.clientId,
    principalId: record.principalId,
    agentId: record.agentId ?? undefined,
    mandateId: record.mandateId ?? undefined,
    transactionId: record.transactionId,
    correlationKey: record.correlationKey,
  };
}

function paymentOf(record: RecordWithAnswer) {
  return {
    rail: record.rail,
    mcc: record.mcc ?? undefined,
    country: record.country ?? undefined,
    merchantId: record.merchantId ?? undefined,
    merchantName: record.merchantName ?? undefined,
    clientReference: record.clientReference ?? undefined,
  };
}

/** A reference that an outcome added is only kept for a kind which the payment came without. */
function referencesOf(record: ListedRecord) {
  const added = new Map(record.references.map(({ kind, value }) => [kind, value]));
  return {
    networkRrn: record.networkRrn ?? added.get('network_rrn'),
    networkStan: record.networkStan ?? undefined,
    authCode: record.authCode ?? added.get('auth_code'),
    networkReference: record.networkReference ?? added.get('network_reference'),
    txHash: record.txHash ?? added.get('tx_hash'),
    chainId: record.chainId ?? added.get('chain_id'),
  };
}
