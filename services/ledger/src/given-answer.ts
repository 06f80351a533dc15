import { isoTime } from '@countersign/kernel/clock';
import { failSafeCode } from '@countersign/kernel/fail-safe';
import { newId } from '@countersign/kernel/id';
import { formatAmount } from '@countersign/kernel/money';
import { restoredAnswer } from '@countersign/kernel/stored-answer';
import type { CommitRequest, CommitResponse } from '@countersign/proto/ledger';
import type { Call } from '@countersign/runtime/grpc-types';
import { eventFormat, placeholder } from './amended-format.js';
import { amendedEvent } from './amendment.js';
import { outcomeOnly } from './commit/pending.js';
import { invalidProposal, toProposal } from './commit/proposal.js';
import { recordedEventText } from './commit/recorded-event.js';
import { withWholeAnswer } from './commit/whole-answer.js';
import type { Context } from './context.js';
import { attemptLimits, unavailable } from './failure.js';

/** Concurrent calls may use the id or the key between two steps, each of them once. */
const maxRounds = 5;

/**
 * Records a fail-safe DECLINE that the gateway sent before it was recorded. The caller may have
 * acted on it, so a decision that was committed under the same id but never answered is voided,
 * and the idempotency key keeps this answer if it was the first. See docs/decisions/0007.
 */
export async function commitGivenAnswer(
  context: Context,
  request: CommitRequest,
  call: Call,
): Promise<CommitResponse> {
  const committer = context.committers[call.environment];
  const complete = toProposal(checked(request), call, context);
  for (let round = 0; round < maxRounds; round += 1) {
    const { outcome, answer } = await committer.settle(
      complete,
      voidValues(context, request, call),
      attemptLimits(context, call),
    );
    if (outcome !== 'absent' && outcome !== 'keyless') {
      return {
        ...outcomeOnly(outcome),
        ...(answer !== null && { answer: restoredAnswer(answer) }),
      };
    }
    const { idempotencyKey, ...keyless } = request;
    const proposal =
      outcome === 'keyless' && idempotencyKey !== undefined
        ? toProposal(keyless, call, context)
        : complete;
    const response = await committer.commit(proposal, call.deadlineAt, call.trace);
    const known = ['recorded', 'replayed', 'key_reused'].includes(response.outcome);
    if (!known || (response.outcome === 'recorded' && outcome === 'absent'))
      return withWholeAnswer(response, proposal);
  }
  throw unavailable('concurrent calls kept using the id or the key of a given answer');
}

function checked(request: CommitRequest): CommitRequest {
  const { decision, reasonCodes, limitCodes } = request;
  if (decision === 'DECLINE' && reasonCodes.join() === failSafeCode && limitCodes.length === 0) {
    return request;
  }
  throw invalidProposal('a given answer is not a fail-safe DECLINE');
}

/** The parameters of `settle_given_answer` for a void and its two events. */
function voidValues(context: Context, request: CommitRequest, call: Call): unknown[] {
  const at = isoTime(context.clock());
  const { environment, requestId, trace } = call;
  const { authorizationId: id, principalId, currency } = request;
  const record = { id, clientId: placeholder(2), principalId, agentId: placeholder(1), currency };
  // The id was generated for this request, so a record with this id is of the same payment.
  const amount = formatAmount(request.amount, currency);
  const change = { amendment: 'VOIDED', decision: 'DECLINE', amount } as const;
  const voided = amendedEvent(record, change, { environment, requestId, trace, at });
  const declineId = newId('event');
  return [
    newId('event'),
    at,
    voided.id,
    eventFormat(voided),
    declineId,
    recordedEventText(request, call, declineId),
  ];
}
