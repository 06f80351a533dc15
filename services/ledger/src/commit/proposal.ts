import type { Cipher } from '@countersign/kernel/cipher';
import { type BusTopic, packedTopic } from '@countersign/kernel/event';
import { Fault } from '@countersign/kernel/fault';
import { packedLayout } from '@countersign/kernel/packed-answer';
import { decisionWords } from '@countersign/kernel/vocabulary';
import type { CommitRequest, EntityVersion } from '@countersign/proto/ledger';
import type { Call } from '@countersign/runtime/grpc-types';
import { limitMask } from '../limits.js';
import type { DecisionTimes } from './decision-times.js';
import { type IntentPart, intentPart, intentProblem } from './intent.js';
import {
  type ProposalRow,
  type ProposalTexts,
  proposalRow,
  proposalTexts,
} from './proposal-row.js';
import { recordedAnswer } from './recorded-answer.js';

/** A decision to be recorded, validated and encoded for the database. */
export interface Proposal {
  authorizationId: string;
  principalId: string;
  idempotencyKey: string | null;
  bodyHash: string;
  mandateId: string | null;
  seen: readonly EntityVersion[];
  /** Of the database when the facts were read; null if it was made from none. */
  epoch: string | null;
  /** Null if the facts are complete without a basis. */
  basis: SharedText | null;
  /** The thresholds of the basis; null unless the text of the basis was also sent. */
  thresholds: SharedText | null;
  row: ProposalRow;
  texts: ProposalTexts;
  /** The public answer once it is recorded, given its middle as the database filled it in. */
  answerWith: (middle: string) => string;
  /** Where its event is published. */
  topic: BusTopic;
  /** Null if the payment has no vi_chain. */
  intent: IntentPart | null;
}

/** A text that many records share, stored under its hex SHA-256. */
interface SharedText {
  hash: string;
  /** Null if it was omitted because it is recorded already. */
  body: string | null;
}

const decisions: ReadonlySet<string> = new Set(decisionWords);
const amountPattern = /^(0|[1-9]\d{0,14})(\.\d{1,18})?$/;
const zeroPattern = /^[0.]+$/;

/**
 * Throws `internal` for an invalid proposal, which is a bug of its sender, and `unavailable` if
 * its time differs too much from this clock, since another replica may accept it.
 */
export function toProposal(
  request: CommitRequest,
  call: Call,
  { decisionTimes, cipher }: { decisionTimes: DecisionTimes; cipher: Cipher },
): Proposal {
  const mask = limitMask(request.limitCodes);
  const problem = problemOf(request);
  if (problem || mask === null) throw invalidProposal(problem ?? 'limit_codes has an unknown code');
  const decidedMs = Date.parse(request.decidedAt);
  if (Number.isNaN(decidedMs)) throw invalidProposal('decided_at is not a time');
  decisionTimes.check(request, decidedMs, call);
  return {
    authorizationId: request.authorizationId,
    principalId: request.principalId,
    idempotencyKey: request.idempotencyKey ?? null,
    bodyHash: request.bodyHash,
    mandateId: request.mandateId ?? null,
    seen: request.seen,
    epoch: request.epoch ?? null,
    basis: shared(request.basisHash, request.basisJson),
    thresholds: shared(request.thresholdsHash, request.thresholdsJson),
    row: proposalRow({ request, mask, decidedAt: new Date(decidedMs).toISOString() }),
    texts: proposalTexts(request, call),
    answerWith: (middle) => recordedAnswer(request, middle),
    topic: request.eventIsPacked ? packedTopic : 'authorization.recorded',
    intent: request.intent ? intentPart(request, request.intent, cipher) : null,
  };
}

function shared(hash: string | undefined, body: string | undefined): SharedText | null {
  return hash === undefined ? null : { hash, body: body ?? null };
}

function problemOf(request: CommitRequest): string | null {
  const { decision, amount, mandateId } = request;
  const { authorizationId, clientId, principalId, transactionId } = request;
  if ([authorizationId, clientId, principalId, transactionId].includes(''))
    return 'an id is missing';
  if (!decisions.has(decision)) return 'decision is unknown';
  if (!amountPattern.test(amount) || zeroPattern.test(amount)) return 'amount is not an amount';
  if (decision !== 'DECLINE' && !mandateId) return `${decision} without a mandate`;
  if (decision === 'STEP_UP' && Number.isNaN(Date.parse(request.stepUpExpiresAt ?? ''))) {
    return 'STEP_UP without step_up_expires_at';
  }
  if (decision === 'APPROVE' && request.reasonCodes.length > 0) return 'APPROVE with reasons';
  return (
    textProblem(request) ?? (request.intent?.claim ? intentProblem(request.intent.claim) : null)
  );
}

function textProblem(request: CommitRequest): string | null {
  if (!isEventData(request)) return 'event_data is not an object, nor a list where it is packed';
  if (!isNamed(request)) return 'a shared text has no hash';
  return isReadable(request) ? null : 'the answer has a layout of a later release';
}

function isEventData({ eventDataJson, eventIsPacked }: CommitRequest): boolean {
  const data = eventDataJson.trim();
  const [opening, closing] = eventIsPacked ? ['[', ']'] : ['{', '}'];
  return data.startsWith(opening) && data.endsWith(closing);
}

/** An answer that this release could not read again would be recorded for no one. */
function isReadable({ answerHead }: CommitRequest): boolean {
  return !answerHead.startsWith('[') || answerHead.startsWith(`[${packedLayout},`);
}

function isNamed({ basisHash, basisJson, thresholdsHash, thresholdsJson }: CommitRequest): boolean {
  const basis = basisJson === undefined || basisHash !== undefined;
  return basis && (thresholdsJson === undefined || thresholdsHash !== undefined);
}

export function invalidProposal(internal: string): Fault {
  return new Fault('internal', {
    message: 'The decision could not be recorded.',
    internal: `proposal: ${internal}`,
  });
}
