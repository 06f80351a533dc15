import { isoTime } from '@countersign/kernel/clock';
import { failSafeCode } from '@countersign/kernel/fail-safe';
import { newId } from '@countersign/kernel/id';
import { formatAmount } from '@countersign/kernel/money';
import type { CommitRequest, CommitResponse } from '@countersign/proto/ledger';
import type { Call } from '@countersign/runtime/grpc-types';
import { eventFormat, place } from './amended-format.js';
import { amendedEvent } from './amendment.js';
import { outcomeOnly } from './commit/pending.js';
import { contradiction, toProposal } from './commit/proposal.js';
import { recordedEventText } from './commit/recorded-event.js';
import type { Context } from './context.js';
import { unavailable } from './failure.js';

/** Other calls may take the id or the key between two steps, each of them once. */
const maxRounds = 5;

/**
 * Records a fail-safe DECLINE that the gateway gave by itself. Its caller has acted on it, so a
 * decision that was committed unseen under the same id is voided, and an idempotency key that it
 * answered first keeps this answer. See docs/decisions/0007.
 */
export async function commitGivenAnswer(
  context: Context,
  request: CommitRequest,
  call: Call,
): Promise<CommitResponse> {
  const committer = context.committers[call.environment];
  const whole = toProposal(checked(request), call, context);
  for (let round = 0; round < maxRounds; round += 1) {
    const { outcome, answer } = await committer.settle(whole, voidValues(context, request, call));
    if (outcome !== 'absent' && outcome !== 'keyless') {
      return { ...outcomeOnly(outcome), ...(answer !== null && { answer }) };
    }
    const { idempotencyKey, ...unnamed } = request;
    const proposal =
      outcome === 'keyless' && idempotencyKey !== undefined
        ? toProposal(unnamed, call, context)
        : whole;
    const response = await committer.commit(proposal, call.deadlineAt, call.trace);
    const known = ['recorded', 'replayed', 'key_reused'].includes(response.outcome);
    if (!known || (response.outcome === 'recorded' && outcome === 'absent')) return response;
  }
  throw unavailable('the id or the key of a given answer was taken again and again');
}

function checked(request: CommitRequest): CommitRequest {
  const { decision, reasonCodes, limitCodes } = request;
  if (decision === 'DECLINE' && reasonCodes.join() === failSafeCode && limitCodes.length === 0) {
    return request;
  }
  throw contradiction('an answer that was given is something else than a fail-safe DECLINE');
}

/** The further parameters of `settle_given_answer`: for a void and its two events. */
function voidValues(context: Context, request: CommitRequest, call: Call): unknown[] {
  const at = isoTime(context.clock());
  const { environment, requestId, trace } = call;
  const { authorizationId: id, principalId, currency } = request;
  const record = { id, clientId: place(2), principalId, agentId: place(1), currency };
  // The id was minted for this request alone, so a record under it is of the same payment.
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
