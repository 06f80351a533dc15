import { answerText } from '@countersign/kernel/answer';
import { isoTime } from '@countersign/kernel/clock';
import { countedIn, packedAnswer } from '@countersign/kernel/packed-answer';
import type { Signed } from '@countersign/kernel/packed-attestation';
import type { EntityVersionInput } from '@countersign/proto/ledger';
import { answerFields, countedFields } from '../answer.js';
import type { Facts, MandateFacts } from '../facts/shape.js';
import type { Verdict } from '../verdict.js';
import { basisOf, policyHashOf } from './basis.js';
import { intentPresentation } from './intent-presentation.js';
import { type Proposal, proposalMessage } from './proposal-message.js';
import { type IsKept, recordText } from './record-text.js';
import { recordedEventData } from './recorded-event.js';

export interface ProposalContext {
  principalId: string;
  signed: Signed | null;
  processingTimeMs: number;
  stepUpWindowSeconds: number;
  /** The vi_chain of the payment. */
  chainJson?: string | undefined;
  /** Whether the ledger probably has a basis or thresholds, so that the text is not sent. */
  isKept: IsKept;
  /** Of the ledger's database, when the agent was read. */
  epoch: string;
}

/** The proposal of a verdict to the ledger, which records all of it or nothing. */
export function proposalOf(facts: Facts, verdict: Verdict, context: ProposalContext): Proposal {
  const { agent, program, payment } = facts;
  const { mandate } = verdict;
  const { processingTimeMs, signed } = context;
  const stepUpExpiresAt = expiryOf(facts, verdict, context.stepUpWindowSeconds);
  const presentation = intentPresentation(facts, context.chainJson);
  const attestation = signed?.attestation ?? null;
  const fields = answerFields(facts, verdict, { processingTimeMs, attestation });
  const counted = countedFields(facts, verdict);
  const message = proposalMessage(payment, {
    clientId: facts.clientId,
    principalId: context.principalId,
    agentId: agent?.id ?? payment.agentId ?? undefined,
    mandate,
    programId: program?.id,
    decision: verdict.decision,
    reasonCodes: verdict.reasonCodes,
    limitCodes: verdict.limitCodes,
    // Without a usable mandate, the newest one: it may have been replaced since it was read.
    seen: seenVersions(facts, mandate ?? facts.mandates[0] ?? null),
    epoch: context.epoch,
    decidedAt: facts.decidedAt,
    stepUpExpiresAt: stepUpExpiresAt ?? undefined,
    answer: packedAnswer(fields, counted, signed?.packed ?? null),
    answerGiven: false,
    policyHash: policyHashOf(basisOf(facts), facts, mandate),
    record: recordText(facts, verdict, context.isKept),
    kyaScore: verdict.kyaScore,
    trustLevel: verdict.trustLevel,
    riskScore: verdict.risk.score,
    viVerified: verdict.viVerified,
    processingTimeMs,
    eventData: recordedEventData(facts, verdict, { processingTimeMs, stepUpExpiresAt }),
  });
  return {
    message: presentation ? { ...message, intent: presentation } : message,
    answerWith: (middle) => answerText(fields, countedIn(middle)),
  };
}

/** The versions that the verdict was made from, which the ledger compares with its fences. */
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
