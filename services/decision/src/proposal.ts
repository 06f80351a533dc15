import { isoTime } from '@countersign/kernel/clock';
import type { CommitRequestInput, EntityVersionInput } from '@countersign/proto/ledger';
import { renderAnswer } from './answer.js';
import type { Attestation } from './attestation/attest.js';
import { basisOf, policyHashOf } from './basis.js';
import type { Facts, MandateFacts } from './facts-shape.js';
import { intentPresentation } from './intent-presentation.js';
import { proposalMessage } from './proposal-message.js';
import { type IsKept, recordText } from './record.js';
import { recordedEventData } from './recorded-event.js';
import type { Verdict } from './verdict.js';

export interface ProposalContext {
  principalId: string;
  attestation: Attestation | null;
  processingTimeMs: number;
  stepUpWindowSeconds: number;
  /** The vi_chain of the payment. */
  chainJson?: string | undefined;
  /** Whether the ledger probably has a basis or thresholds, so that the text is not sent. */
  isKept: IsKept;
}

/** The proposal of a verdict to the ledger, which records all of it or nothing. */
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
  const proposal = proposalMessage(payment, {
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
    eventData: recordedEventData(facts, verdict, { processingTimeMs, stepUpExpiresAt }),
  });
  return presentation ? { ...proposal, intent: presentation } : proposal;
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
