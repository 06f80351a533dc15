import type { AnswerText } from '@countersign/kernel/answer';
import { isoTime } from '@countersign/kernel/clock';
import { currencyExponent } from '@countersign/kernel/currency';
import type { RecordedAuthorization } from '@countersign/kernel/event';
import type {
  CommitRequestInput,
  EntityVersionInput,
  LimitsInput,
} from '@countersign/proto/ledger';
import { traceOf } from './anomaly/trace.js';
import { renderAnswer } from './answer.js';
import type { Attestation } from './attestation/attest.js';
import { basisOf, policyHashOf } from './basis.js';
import { correlationKey } from './correlation-key.js';
import type { Facts, MandateFacts, PaymentFacts } from './facts-shape.js';
import { intentPresentation } from './intent-presentation.js';
import { type IsKept, type RecordText, recordText } from './record.js';
import { triageMarker } from './triage/marker.js';
import type { DecisionWord, Verdict } from './verdict.js';

export interface ProposalContext {
  principalId: string;
  attestation: Attestation | null;
  processingTimeMs: number;
  stepUpWindowSeconds: number;
  /** The vi_chain that came with the payment. */
  chainJson?: string | undefined;
  /** Whether the ledger is thought to have a basis or its thresholds: their text is left out. */
  isKept: IsKept;
}

/** A verdict as it is laid before the ledger, which records all of it or nothing. */
export function proposalOf(
  facts: Facts,
  verdict: Verdict,
  context: ProposalContext,
): CommitRequestInput {
  const { agent, program, payment } = facts;
  const { mandate } = verdict;
  const { processingTimeMs } = context;
  const stepUpExpiresAt = expiryOf(facts, verdict, context.stepUpWindowSeconds);
  const presentation = intentPresentation(facts, context.chainJson);
  const proposal = proposalText(payment, {
    clientId: facts.clientId,
    principalId: context.principalId,
    agentId: agent?.id ?? payment.agentId ?? undefined,
    mandate,
    programId: program?.id,
    decision: verdict.decision,
    reasonCodes: verdict.reasonCodes,
    limitCodes: verdict.limitCodes,
    // Without one to use, the newest says why: it may have been revoked since it was read.
    seen: seenVersions(facts, mandate ?? facts.mandates[0] ?? null),
    decidedAt: facts.decidedAt,
    stepUpExpiresAt: stepUpExpiresAt ?? undefined,
    answer: renderAnswer(facts, verdict, context),
    answerGiven: false,
    policyHash: policyHashOf(basisOf(facts), facts, mandate),
    record: recordText(facts, verdict, context.isKept),
    kyaScore: verdict.kyaScore,
    trustLevel: verdict.trustLevel,
    riskScore: verdict.risk.score,
    viVerified: verdict.viVerified,
    processingTimeMs,
    eventData: eventData(facts, verdict, { processingTimeMs, stepUpExpiresAt }),
  });
  return presentation ? { ...proposal, intent: presentation } : proposal;
}

/** What a record says of a decision, however it came about. */
export interface Decided {
  clientId: string;
  principalId: string;
  agentId: string | undefined;
  /** Null where none was used. */
  mandate: MandateFacts | null;
  programId: string | undefined;
  decision: DecisionWord;
  reasonCodes: string[];
  limitCodes: string[];
  seen: EntityVersionInput[];
  decidedAt: string;
  stepUpExpiresAt: string | undefined;
  answer: AnswerText;
  answerGiven: boolean;
  policyHash: string;
  record: RecordText;
  kyaScore: number;
  trustLevel: string;
  riskScore: number;
  viVerified: boolean;
  processingTimeMs: number;
  eventData: Omit<RecordedAuthorization, 'reasonDetail'>;
}

/** One literal of known shape: put together from parts, an object of this size costs much more. */
export function proposalText(payment: PaymentFacts, decided: Decided): CommitRequestInput {
  const { references } = payment;
  const { mandate, record } = decided;
  return {
    authorizationId: payment.authorizationId,
    clientId: decided.clientId,
    principalId: decided.principalId,
    agentId: decided.agentId,
    mandateId: mandate?.id,
    programId: decided.programId,
    transactionId: payment.transactionId,
    transactionGiven: payment.transactionGiven,
    correlationKey: correlationKey(payment),
    idempotencyKey: payment.idempotencyKey ?? undefined,
    bodyHash: payment.bodyHash,
    decision: decided.decision,
    reasonCodes: decided.reasonCodes,
    limitCodes: decided.limitCodes,
    amount: payment.amount,
    currency: payment.currency,
    exponent: currencyExponent(mandate?.currency ?? payment.currency) ?? 2,
    limits: mandate ? limitsOf(mandate, payment) : undefined,
    rail: payment.rail,
    mcc: payment.mcc ?? undefined,
    country: payment.country ?? undefined,
    merchantId: payment.merchantId ?? undefined,
    merchantName: payment.merchantName ?? undefined,
    clientReference: payment.clientReference ?? undefined,
    networkRrn: references.networkRrn ?? undefined,
    networkStan: references.networkStan ?? undefined,
    authCode: references.authCode ?? undefined,
    networkReference: references.networkReference ?? undefined,
    txHash: references.txHash ?? undefined,
    chainId: references.chainId ?? undefined,
    seen: decided.seen,
    decidedAt: decided.decidedAt,
    stepUpExpiresAt: decided.stepUpExpiresAt,
    answerTemplate: decided.answer.middle,
    factsJson: record.factsJson,
    policyHash: decided.policyHash,
    inputHash: record.inputHash,
    kyaScore: decided.kyaScore,
    trustLevel: decided.trustLevel,
    riskScore: decided.riskScore,
    viVerified: decided.viVerified,
    processingTimeMs: decided.processingTimeMs,
    mandateHash: mandate?.mandateHash,
    eventDataJson: JSON.stringify(decided.eventData),
    answerGiven: decided.answerGiven,
    basisHash: record.basisHash,
    basisJson: record.basisJson,
    thresholdsHash: record.thresholdsHash,
    thresholdsJson: record.thresholdsJson,
    answerHead: decided.answer.head,
    answerTail: decided.answer.tail,
    answerInParts: true,
  };
}

/** An amount in another currency cannot count against the limits: then there are none to check. */
function limitsOf(mandate: MandateFacts, payment: PaymentFacts): LimitsInput {
  if (mandate.currency !== payment.currency) return {};
  return {
    dailyAmount: mandate.maxDailyAmount ?? undefined,
    monthlyAmount: mandate.maxMonthlyAmount ?? undefined,
    dailyCount: mandate.maxDailyCount ?? undefined,
    monthlyCount: mandate.maxMonthlyCount ?? undefined,
  };
}

/** Everything whose change must be seen before an approval: what the ledger's fence compares. */
export function seenVersions(facts: Facts, mandate: MandateFacts | null): EntityVersionInput[] {
  const seen: EntityVersionInput[] = [];
  for (const entity of [facts.agent, facts.principal, facts.program, mandate]) {
    if (entity) seen.push({ entityId: entity.id, version: entity.version });
  }
  return seen;
}

function expiryOf({ decidedAt }: Facts, verdict: Verdict, windowSeconds: number): string | null {
  if (verdict.decision !== 'STEP_UP') return null;
  return isoTime(Date.parse(decidedAt) + windowSeconds * 1_000);
}

function eventData(
  facts: Facts,
  verdict: Verdict,
  context: { processingTimeMs: number; stepUpExpiresAt: string | null },
): Omit<RecordedAuthorization, 'reasonDetail'> {
  const { payment, agent, principal, program } = facts;
  const trace = agent && traceOf(payment);
  return {
    authorizationId: payment.authorizationId,
    agentId: agent?.id ?? payment.agentId,
    mandateId: verdict.mandate?.id ?? null,
    programId: program?.id ?? null,
    decision: verdict.decision,
    reasonCodes: verdict.reasonCodes,
    amount: payment.amount,
    currency: payment.currency,
    rail: payment.rail,
    processingTimeMs: context.processingTimeMs,
    kyaScore: verdict.kyaScore,
    zone: verdict.zone,
    cognitiveLimitMultiplier: verdict.cognitiveMultiplier,
    intentAnomalyScore: verdict.anomaly.score,
    intentAnomalyTriggered: verdict.anomaly.triggered,
    stepUpExpiresAt: context.stepUpExpiresAt,
    ...(agent &&
      trace &&
      principal && {
        learning: {
          trustLevel: agent.trustLevel,
          agentCreatedAt: agent.createdAt,
          principalVerified: principal.verificationStatus === 'VERIFIED',
          keyRegistered: agent.keyRegistered,
          maxAmountPerTransaction: verdict.mandate?.maxAmountPerTransaction ?? null,
          merchant: trace.merchant,
          viVerified: verdict.viVerified,
          anomalySkipped: verdict.anomaly.skipped,
          trace: trace.recorded,
        },
      }),
    ...(program?.fraudTriage && { triage: triageMarker(verdict) }),
  };
}
