import { hasMarkerCharacter } from '@countersign/kernel/answer-marker';
import type { AnswerParts } from '@countersign/kernel/packed-answer';
import { recordedEventId } from '@countersign/kernel/packed-event';
import type { CommitRequest } from '@countersign/proto/ledger';
import type { Call } from '@countersign/runtime/grpc-types';
import { toFormat } from './answer-format.js';
import { recordedEventText } from './recorded-event.js';

interface RowSource {
  request: CommitRequest;
  mask: number;
  decidedAt: string;
}

export type ProposalRow = Array<string | null>;

/**
 * The attributes of the composite type `proposal` in their order, and the source of each. The
 * names are compared with those in the database at start-up.
 */
const attributes: ReadonlyArray<
  readonly [name: string, value: (source: RowSource) => string | null | undefined]
> = [
  ['id', ({ request }) => request.authorizationId],
  ['client_id', ({ request }) => request.clientId],
  ['principal_id', ({ request }) => request.principalId],
  ['agent_id', ({ request }) => request.agentId],
  ['mandate_id', ({ request }) => request.mandateId],
  // Set by setMandateIndex, once the batch is known.
  ['mandate_index', () => null],
  ['program_id', ({ request }) => request.programId],
  ['transaction_id', ({ request }) => request.transactionId],
  ['transaction_given', ({ request }) => flag(request.transactionGiven)],
  ['correlation_key', ({ request }) => request.correlationKey],
  ['idempotency_key', ({ request }) => request.idempotencyKey],
  ['body_hash', ({ request }) => request.bodyHash],
  ['decision', ({ request }) => request.decision],
  ['reason_codes', ({ request }) => request.reasonCodes.join(',')],
  ['limit_mask', ({ mask }) => String(mask)],
  ['amount', ({ request }) => request.amount],
  ['currency', ({ request }) => request.currency],
  ['exponent', ({ request }) => String(request.exponent)],
  ['rail', ({ request }) => request.rail],
  ['mcc', ({ request }) => request.mcc],
  ['country', ({ request }) => request.country],
  ['merchant_id', ({ request }) => request.merchantId],
  ['merchant_name', ({ request }) => request.merchantName],
  ['client_reference', ({ request }) => request.clientReference],
  ['network_rrn', ({ request }) => request.networkRrn],
  ['network_stan', ({ request }) => request.networkStan],
  ['auth_code', ({ request }) => request.authCode],
  ['network_reference', ({ request }) => request.networkReference],
  ['tx_hash', ({ request }) => request.txHash],
  ['chain_id', ({ request }) => request.chainId],
  ['daily_amount_limit', ({ request }) => request.limits?.dailyAmount],
  ['monthly_amount_limit', ({ request }) => request.limits?.monthlyAmount],
  ['daily_count_limit', ({ request }) => count(request.limits?.dailyCount)],
  ['monthly_count_limit', ({ request }) => count(request.limits?.monthlyCount)],
  ['decided_at', ({ decidedAt }) => decidedAt],
  // A constraint of the table requires null for other decisions.
  [
    'step_up_expires_at',
    ({ request }) => (request.decision === 'STEP_UP' ? request.stepUpExpiresAt : null),
  ],
  ['kya_score', ({ request }) => String(request.kyaScore)],
  ['trust_level', ({ request }) => request.trustLevel],
  ['risk_score', ({ request }) => String(request.riskScore)],
  ['vi_verified', ({ request }) => flag(request.viVerified)],
  ['processing_time_ms', ({ request }) => String(request.processingTimeMs)],
  ['mandate_hash', ({ request }) => request.mandateHash],
  ['policy_hash', ({ request }) => request.policyHash],
  ['input_hash', ({ request }) => request.inputHash],
  // Long texts are sent separately from the rows; see ProposalTexts.
  ['facts', () => null],
  ['answer_format', () => null],
  ['event_id', ({ request }) => recordedEventId(request.authorizationId)],
  ['event', () => null],
  ['event_format', () => null],
];

export const proposalAttributes: readonly string[] = attributes.map(([name]) => name);

const mandateIndexAt = proposalAttributes.indexOf('mandate_index');
const factsAt = proposalAttributes.indexOf('facts');
const answerFormatAt = proposalAttributes.indexOf('answer_format');

export function proposalRow(source: RowSource): ProposalRow {
  return attributes.map(([, value]) => value(source) ?? null);
}

/**
 * Sent as separate arrays, because reading an attribute of a row means skipping those before it.
 */
export interface ProposalTexts {
  facts: string;
  /** Its middle is a format() template. */
  answer: AnswerParts;
  /** The BusEvent as JSON; null if its reason has an amount, so that it is a template instead. */
  event: string | null;
  eventFormat: string | null;
}

export function proposalTexts(request: CommitRequest, call: Call): ProposalTexts {
  const event = recordedEventText(request, call);
  const marked = hasMarkerCharacter(event);
  return {
    facts: request.factsJson,
    answer: {
      head: request.answerHead,
      middle: toFormat(request.answerTemplate),
      tail: request.answerTail,
    },
    event: marked ? null : event,
    eventFormat: marked ? toFormat(event) : null,
  };
}

/** The row of a given answer, which is not sent in a batch and includes its texts. */
export function givenAnswerRow(row: ProposalRow, { facts, answer }: ProposalTexts): ProposalRow {
  const complete = [...row];
  complete[factsAt] = facts;
  complete[answerFormatAt] = toFormat(answer.head) + answer.middle + toFormat(answer.tail);
  return complete;
}

/** Sets the index of the proposal's mandate in the batch, counted from 1. */
export function setMandateIndex(row: ProposalRow, mandateIndex: number | undefined): void {
  row[mandateIndexAt] = mandateIndex === undefined ? null : String(mandateIndex);
}

function flag(value: boolean): string {
  return value ? 't' : 'f';
}

function count(value: number | undefined): string | undefined {
  return value === undefined ? undefined : String(value);
}
